package import KeyplanDocuments
package import KeyplanModel

/// `type: file`: one value that is the whole file. Withdrawing it deletes the file.
extension WholeDocument: DocumentBackend {
  package static var backend: BackendDescription { FileSource.backend }

  /// Only `content`.
  static let targetNames = NameRule((try? FormatPattern(name)).map { .pattern($0) } ?? .text)
}
