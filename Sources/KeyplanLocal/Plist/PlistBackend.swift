package import KeyplanDocuments
package import KeyplanModel

/// `plist://path#/pointer`: strings in an XML property list. A name without `/` is one at the top level.
extension PlistDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "plist", help: "Strings in XML property lists. Everything else in the file is kept.",
    reference: ReferenceGrammar(
      .file, selector: .pointer, example: "plist://path/to/file#/outer/inner", isLocal: true, isRemovable: true,
      help: "A string in an XML property list: a JSON Pointer (RFC 6901), or a name at the top level."),
    target: .localFile(names: .nested))
}
