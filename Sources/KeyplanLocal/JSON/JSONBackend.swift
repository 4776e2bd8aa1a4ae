package import KeyplanDocuments
package import KeyplanModel

/// `json://path#/pointer`: strings in a JSON file. A name without `/` is one at the top level.
extension JSONDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "json", help: "Strings in JSON files. Everything else in the file is kept.",
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "json://path/to/file#/outer/inner", isLocal: true, isRemovable: true,
      help: "A string in a JSON file: a JSON Pointer (RFC 6901), or a name at the top level."),
    target: .localFile(names: .nested))
}
