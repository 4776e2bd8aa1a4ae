package import KeyplanApply
package import KeyplanCore
package import KeyplanDocuments
package import KeyplanSecrets

/// A file format that secrets are read from and written to, name by name.
package protocol DocumentBackend: EditableDocument {
  /// How references and targets look.
  static var backend: BackendDescription { get }
  /// What an empty value says.
  static var whenEmpty: SourceAnswer { get }
}

extension DocumentBackend {
  package static var whenEmpty: SourceAnswer { .empty }
}

/// Strings in files of one format.
package struct DocumentSource<Content: DocumentBackend>: RemovableSource, SynchronousSource {
  private let context: SourceContext

  /// Reads relative to the context's folder.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Content.backend }

  /// Reads and parses each file once.
  package func read(_ references: [Reference]) async -> [SourceAnswer] { readSync(references) }

  func readSync(_ references: [Reference]) -> [SourceAnswer] {
    context.read(references, as: Content.self, whenEmpty: Content.whenEmpty)
  }

  /// Takes the value out of its file; every byte around it stays.
  package func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    try context.remove(reference, holding: value, from: Content.self)
  }
}
