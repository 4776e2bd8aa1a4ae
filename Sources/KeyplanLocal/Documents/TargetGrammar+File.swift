internal import KeyplanCore

extension TargetGrammar {
  /// A file whose values are set and removed in place.
  static func localFile(names: NameRule = .text, limits: Limits = Limits(), example: String? = nil) -> TargetGrammar {
    TargetGrammar(
      fields: [
        BackendField("path", .file, isRequired: true, example: example, help: "The file, relative to the manifest."),
        BackendField(
          "mode", .mode,
          help: "The mode of the file, in octal: \"0640\". Default: 0600 for a new file; an existing one keeps its own."
        ),
      ], names: names, limits: limits)
  }
}
