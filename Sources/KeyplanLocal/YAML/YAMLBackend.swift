package import KeyplanDocuments
package import KeyplanModel

/// `yaml://path#/pointer`: strings in a YAML file. A name without `/` is one at the top level.
extension YAMLDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "yaml", help: "Strings in YAML files. Comments, order and everything else in the file are kept.",
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "yaml://path/to/file#/outer/inner", isLocal: true, isRemovable: true,
      help: "A string in a YAML file: a JSON Pointer (RFC 6901), or a name at the top level."),
    target: .localFile(names: .nested))
}
