package import KeyplanApply
package import KeyplanCore
package import KeyplanDocuments

/// `dotenv://path#NAME`: variables in a dotenv file. Comments, order, quotes and other names are kept.
extension DotenvDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "dotenv", help: "Variables in dotenv files. Comments, order, quotes and other names are kept.",
    reference: ReferenceGrammar(
      .file, selector: .name, example: "dotenv://path/to/file#NAME", isLocal: true, isRemovable: true,
      help: "A variable in a dotenv file. An empty one is missing."),
    target: .localFile(names: .variable))

  /// Templates contain `NAME=` for a secret that is not set, like an empty environment variable.
  package static var whenEmpty: SourceAnswer { .missing() }
}
