package import KeyplanCore
package import KeyplanDocuments

/// `plist://path#KEY/KEY`: strings in an XML property list; `/` separates nested keys.
extension PlistDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "plist", help: "Strings in XML property lists. Everything else in the file is kept.",
    reference: ReferenceGrammar(
      .file, selector: .keys, example: "plist://path/to/file#outer/inner", isLocal: true, isRemovable: true,
      help: "A string in an XML property list. / separates nested keys."),
    target: .localFile())
}
