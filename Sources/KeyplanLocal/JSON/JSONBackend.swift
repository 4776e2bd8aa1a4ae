package import KeyplanCore
package import KeyplanDocuments

/// `json://path#/pointer`: strings in a JSON file. A name without `/` is one at the top level.
extension JSONDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "json",
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "json://path/to/file#/outer/inner", isLocal: true, isRemovable: true),
    target: .file(names: .nested))
}
