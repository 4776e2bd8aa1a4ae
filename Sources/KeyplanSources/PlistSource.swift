public import KeyplanApply
public import KeyplanCore
import KeyplanDocuments

/// `plist://path#KEY/KEY`: a string in an XML property list.
public struct PlistSource: SecretSource {
  /// How references to it look.
  public static let scheme = SourceScheme("plist", location: .path, selector: .keys, isLocal: true)
  private let context: SourceContext

  /// Reads relative to the context's folder.
  public init(_ context: SourceContext) { self.context = context }

  /// How references to it look.
  public var scheme: SourceScheme { Self.scheme }

  /// Reads and parses each file once.
  public func read(_ references: [Reference]) async -> [SourceAnswer] {
    context.read(references, as: PlistDocument.self)
  }
}
