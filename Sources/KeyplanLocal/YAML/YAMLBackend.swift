package import KeyplanCore
package import KeyplanDocuments

/// `yaml://path#/pointer`: strings in a YAML file. A name without `/` is one at the top level.
extension YAMLDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "yaml",
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "yaml://path/to/file#/outer/inner", isLocal: true, isRemovable: true),
    target: .file(names: .nested))
}
