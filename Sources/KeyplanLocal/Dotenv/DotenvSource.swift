public import KeyplanApply
public import KeyplanCore
import KeyplanDocuments
public import KeyplanSecrets

/// `dotenv://path#NAME`: a variable in a dotenv file.
///
/// `NAME=` is *missing*, as an empty variable of the environment is: it is how a template leaves a secret out.
public struct DotenvSource: SecretRemoving, Looking {
  /// How references to it look.
  public static let scheme = SourceScheme("dotenv", location: .path, selector: .name, isLocal: true, isRemovable: true)
  private let context: SourceContext

  /// Reads relative to the context's folder.
  public init(_ context: SourceContext) { self.context = context }

  /// How references to it look.
  public var scheme: SourceScheme { Self.scheme }

  /// Reads and parses each file once.
  public func read(_ references: [Reference]) async -> [SourceAnswer] { look(references) }

  func look(_ references: [Reference]) -> [SourceAnswer] {
    context.read(references, as: DotenvDocument.self, whenEmpty: .missing)
  }

  /// Takes the value out of its file; every byte around it stays.
  public func remove(_ reference: Reference, holding value: SharedSecret) async throws(RemovalFailure) {
    try context.remove(reference, holding: value, from: DotenvDocument.self)
  }
}
