package import KeyplanApply
package import KeyplanCore
package import KeyplanDocuments

/// `dotenv://path#NAME`: variables in a dotenv file. Comments, order, quotes and other names stay as they are.
extension DotenvDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "dotenv",
    reference: ReferenceGrammar(
      .file, selector: .name, example: "dotenv://path/to/file#NAME", isLocal: true, isRemovable: true),
    target: .file(names: .variable))

  /// `NAME=` is how a template leaves a secret out, as an empty variable of the environment is.
  package static var whenEmpty: SourceAnswer { .missing() }
}
