package import KeyplanCore
package import KeyplanDocuments

/// `plist://path#/pointer`: strings in an XML property list. A name without `/` is one at the top level; other
/// names without a `/` at the beginning are the notation of earlier versions: keys separated by `/`.
extension PlistDocument: DocumentBackend {
  package static let backend = BackendDescription(
    "plist",
    reference: ReferenceGrammar(
      .file, selector: .keys, example: "plist://path/to/file#/outer/inner", isLocal: true, isRemovable: true),
    target: .file(names: .nested))
}
