public import KeyplanApply
public import KeyplanCore
import KeyplanDocuments

/// Variables in a dotenv file. Comments, order, quotes and other names stay as they are.
public struct DotenvTarget: SecretTarget {
  private let file: FileTarget<DotenvDocument>

  /// Writes relative to the context's folder.
  public init(_ context: TargetContext) { file = FileTarget(context) }

  /// The type's name in the manifest.
  public var type: String { "dotenv" }

  /// Reads the file once.
  public func read(_ names: Set<String>, at destination: Destination) async -> TargetAnswer {
    file.read(names, at: destination)
  }

  /// What would keep the file from being replaced, and names in it from being edited.
  public func obstacles(setting: Set<String>, removing: Set<String>, at destination: Destination) async -> Obstacles {
    file.obstacles(setting: setting, removing: removing, at: destination)
  }

  /// The mode of the file that is there.
  public func mode(at destination: Destination) async -> FileMode? { file.mode(at: destination) }

  /// Replaces the file as a whole, if that changes a byte of it.
  public func write(_ changes: TargetChanges, at destination: Destination) async throws(TargetFailure) {
    try file.write(changes, at: destination)
  }
}
