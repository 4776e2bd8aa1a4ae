package import KeyplanCore
package import KeyplanDocuments

/// `yaml://path#/pointer`: strings in a YAML file. A target's names are JSON Pointers, or names at the top level.
extension YAMLDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "yaml", help: "Strings in YAML files. Comments, order and everything else in the file are kept.",
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "yaml://path/to/file#/outer/inner", isLocal: true, isRemovable: true,
      help: "A string in a YAML file, by a JSON Pointer (RFC 6901)."),
    target: .localFile())
}
