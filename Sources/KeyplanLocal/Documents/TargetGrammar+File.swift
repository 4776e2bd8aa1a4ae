internal import KeyplanModel

extension TargetGrammar {
  /// A file whose values are set and removed in place.
  static func localFile(
    names: NameRule = .text, limits: Limits = Limits(), example: String? = nil
  ) -> TargetGrammar {
    TargetGrammar(fields: [path(example), mode], names: names, limits: limits)
  }

  /// A file that others may read, as its values are encrypted. It exists already, and keeps its mode.
  static func encryptedFile(names: NameRule, example: String) -> TargetGrammar {
    TargetGrammar(fields: [path(example)], names: names)
  }

  /// Whether the mode of the file is of interest.
  var hasMode: Bool { fields.contains { $0.kind == .mode } }

  private static func path(_ example: String?) -> BackendField {
    BackendField("path", .file, isRequired: true, example: example, help: "The file, relative to the manifest.")
  }

  private static let mode = BackendField(
    "mode", .mode,
    help: "The mode of the file, in octal: \"0640\". Default: 0600 for a new file; an existing one keeps its own.")
}
