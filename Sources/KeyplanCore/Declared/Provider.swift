/// What keyplan knows of a provider: from the built-in catalog, or from the manifest.
public struct Provider: Hashable, Sendable {
  /// How a key of this provider looks. A mismatch warns and never rejects: key formats change.
  public let format: FormatPattern?
  /// The conventional variable for its key, such as `OPENAI_API_KEY`.
  public let variable: String?

  /// Nothing is checked.
  public init(format: FormatPattern? = nil, variable: String? = nil) {
    self.format = format
    self.variable = variable
  }
}
