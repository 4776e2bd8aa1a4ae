/// What keyplan knows of a provider: from the built-in catalog, or from the manifest.
package struct Provider: Hashable, Sendable {
  /// How a key of this provider looks. A mismatch warns and never rejects: key formats change.
  package let format: FormatPattern?
  /// The conventional variable for its key, such as `OPENAI_API_KEY`.
  package let variable: String?

  /// Whether the manifest declares it. In an untrusted checkout such a format judges no value: whoever writes it could ask
  /// for one character after the other.
  package let isDeclared: Bool
  /// What the manifest declares of the check of its keys; nil for nothing.
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
