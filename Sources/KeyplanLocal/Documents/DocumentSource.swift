package import KeyplanDocuments
package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// A file format for reading and writing secrets by name.
package protocol DocumentBackend: EditableDocument {
  /// The syntax of references and targets.
  static var backend: BackendDescription { get }
  /// The meaning of an empty value.
  static var whenEmpty: SourceAnswer { get }
}

extension DocumentBackend {
  package static var whenEmpty: SourceAnswer { .empty }
}

/// Reads strings from files of one format.
package struct DocumentSource<Content: DocumentBackend>: RemovableSource, SynchronousSource {
  let context: SourceContext

  /// Relative paths are resolved in the context's folder.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Content.backend }

  /// Reads and parses each file once.
  package func read(_ references: [Reference]) async -> [SourceAnswer] { readSync(references) }

  func readSync(_ references: [Reference]) -> [SourceAnswer] {
    context.read(references, as: Content.self, whenEmpty: Content.whenEmpty)
  }

  /// Removes the value from its file; all other bytes stay the same.
  package func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    try context.remove(reference, holding: value, from: Content.self)
  }

  package func removeLeftovers(at reference: Reference) async { context.removeLeftovers(at: reference) }
}
