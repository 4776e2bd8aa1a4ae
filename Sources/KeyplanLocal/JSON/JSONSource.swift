public import KeyplanApply
public import KeyplanCore
import KeyplanDocuments
public import KeyplanSecrets

/// `json://path#/pointer`: a string in a JSON file.
public struct JSONSource: SecretRemoving, Looking {
  /// How references to it look.
  public static let scheme = SourceScheme("json", location: .path, selector: .pointer, isLocal: true, isRemovable: true)
  private let context: SourceContext

  /// Reads relative to the context's folder.
  public init(_ context: SourceContext) { self.context = context }

  /// How references to it look.
  public var scheme: SourceScheme { Self.scheme }

  /// Reads and parses each file once.
  public func read(_ references: [Reference]) async -> [SourceAnswer] { look(references) }

  func look(_ references: [Reference]) -> [SourceAnswer] {
    context.read(references, as: JSONDocument.self)
  }

  /// Takes the value out of its file; every byte around it stays.
  public func remove(_ reference: Reference, holding value: SharedSecret) async throws(RemovalFailure) {
    try context.remove(reference, holding: value, from: JSONDocument.self)
  }
}
