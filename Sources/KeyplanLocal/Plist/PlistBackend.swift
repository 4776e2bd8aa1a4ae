package import KeyplanCore
package import KeyplanDocuments

/// `plist://path#KEY/KEY`: strings in an XML property list; `/` separates nested keys.
extension PlistDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "plist",
    reference: ReferenceGrammar(
      .file, selector: .keys, example: "plist://path/to/file#outer/inner", isLocal: true, isRemovable: true),
    target: .file())
}
