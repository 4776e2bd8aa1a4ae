/// The description of a provider: from the built-in catalog, or from the manifest.
package struct Provider: Hashable, Sendable {
  /// The form of this provider's keys. A mismatch warns and never rejects: key formats change.
  package let format: FormatPattern?
  /// The conventional variable for its key, such as `OPENAI_API_KEY`.
  package let variable: String?

  /// Whether the manifest declares the format. In an untrusted checkout such a format is not applied to values: its author could learn a
  /// value one character after the other.
  package let isDeclared: Bool
  /// The declared check of its keys; nil for none.
  package let check: DeclaredCheck?

  package init(
    format: FormatPattern? = nil, variable: String? = nil, isDeclared: Bool = false, check: DeclaredCheck? = nil
  ) {
    self.check = check
    self.format = format
    self.variable = variable
    self.isDeclared = isDeclared
  }
}
