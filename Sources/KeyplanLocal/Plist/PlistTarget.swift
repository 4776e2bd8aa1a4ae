public import KeyplanApply
public import KeyplanCore
import KeyplanDocuments

/// Strings in a property list in XML, under keys with `/` between nested ones. All other bytes stay as they are.
public struct PlistTarget: SecretTarget {
  private let file: FileTarget<PlistDocument>

  /// Writes relative to the context's folder.
  public init(_ context: TargetContext) { file = FileTarget(context) }

  /// The type's name in the manifest.
  public var type: String { "plist" }

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
