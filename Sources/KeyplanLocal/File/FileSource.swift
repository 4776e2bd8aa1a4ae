public import KeyplanApply
public import KeyplanCore
public import KeyplanSecrets

/// `file://path`: a whole file, without one newline at its end.
public struct FileSource: SecretRemoving, FileGiving, Looking {
  /// How references to it look.
  public static let scheme = SourceScheme("file", location: .path, isLocal: true, isRemovable: true)
  private let context: SourceContext

  /// Reads relative to the context's folder.
  public init(_ context: SourceContext) { self.context = context }

  /// How references to it look.
  public var scheme: SourceScheme { Self.scheme }

  /// Reads each file once.
  public func read(_ references: [Reference]) async -> [SourceAnswer] { look(references) }

  func look(_ references: [Reference]) -> [SourceAnswer] {
    context.read(references, limit: SourceAnswer.valueLimit + 2) { file, references in
      var bytes = file
      dropTrailingNewline(&bytes)
      return Array(repeating: SourceAnswer(bytes), count: references.count)
    }
  }

  /// Reads each file once, to its last byte.
  public func readFiles(_ references: [Reference]) async -> [SourceAnswer] {
    context.read(references, limit: SourceAnswer.valueLimit + 1) { file, references in
      Array(repeating: SourceAnswer(file: file), count: references.count)
    }
  }

  /// Takes the file away.
  public func remove(_ reference: Reference, holding value: SharedSecret) async throws(RemovalFailure) {
    try context.removeFile(reference, holding: value)
  }
}
