import KeyplanDocuments
package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets

/// `file://path`: a whole file; of a single line without the line break at its end.
package struct FileSource: RemovableSource, RawFileSource, SynchronousSource {
  package static let backend = BackendDescription(
    "file", help: "Whole files: a private key, a service account.",
    reference: ReferenceGrammar(
      .file, example: "file://path/to/file", isLocal: true, isRemovable: true,
      help: "A whole file. The line break at the end of a single line is dropped."),
    target: .localFile(names: WholeDocument.targetNames, limits: .init(names: 1), example: "path/to/key.pem"))
  private let context: SourceContext

  /// Relative paths are resolved in the context's folder.
  package init(_ context: SourceContext) { self.context = context }

  package var backend: BackendDescription { Self.backend }

  /// Reads each file once.
  package func read(_ references: [Reference]) async -> [SourceAnswer] { readSync(references) }

  func readSync(_ references: [Reference]) -> [SourceAnswer] {
    context.read(references, limit: SourceAnswer.valueLimit + 2) { file, references in
      Array(repeating: SourceAnswer(SecretBox(lineOrLines: file)), count: references.count)
    }
  }

  /// Reads each file once, including a newline at the end.
  package func readFiles(_ references: [Reference]) async -> [SourceAnswer] {
    context.read(references, limit: SourceAnswer.valueLimit + 1) { file, references in
      Array(repeating: SourceAnswer(file: file), count: references.count)
    }
  }

  package func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    try context.removeFile(reference, holding: value)
  }

  package func removeLeftovers(at reference: Reference) async { context.removeLeftovers(at: reference) }
}
