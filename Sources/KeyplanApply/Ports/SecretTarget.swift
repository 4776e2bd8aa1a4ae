public import KeyplanCore
public import KeyplanSecrets

/// A kind of place that secrets are written to. Writing the same twice leaves what writing it once leaves.
public protocol SecretTarget: Sendable {
  /// The type's name in the manifest, such as `dotenv`.
  var type: String { get }

  /// Reads what stands under these names; others are nobody's business.
  func read(_ names: Set<String>, at destination: Destination) async -> TargetAnswer

  /// What is in the way of setting and removing names there, as far as that shows without writing and without a value.
  func obstacles(setting: Set<String>, removing: Set<String>, at destination: Destination) async -> Obstacles

  /// The mode of the target's file; nil if there is none, or if the target is not a file.
  func mode(at destination: Destination) async -> FileMode?

  /// Sets and removes names in one go: all of it or nothing of it, and nothing else changes.
  /// - Throws: `TargetFailure`; the place is then as it was.
  func write(_ changes: TargetChanges, at destination: Destination) async throws(TargetFailure)
}

extension SecretTarget {
  /// Nothing is known to be in the way.
  public func obstacles(setting: Set<String>, removing: Set<String>, at destination: Destination) async -> Obstacles {
    Obstacles()
  }

  /// Nil: by default, a target is not a file.
  public func mode(at destination: Destination) async -> FileMode? { nil }
}

/// What a target's place holds.
public enum TargetAnswer: Sendable {
  /// By name; a name that is not in it is not there.
  case values([String: TargetValue])
  /// It could not be asked; the reason is a sentence without a value.
  case unreachable(String)
  /// It is there and cannot be used as it is; the reason is a sentence without a value.
  case unreadable(String)
  /// It takes values and never shows them.
  case writeOnly
}

/// What stands under one name at a target.
public enum TargetValue: Sendable {
  /// A string.
  case text(SharedSecret)
  /// Something that no key's value can be, such as a number or an object.
  case other
}

/// What to set and what to remove; no name is in both.
public struct TargetChanges: Sendable {
  /// The values to set, in order of names.
  public let set: [(name: String, value: SharedSecret)]
  /// The names to remove; one that is not there is no error.
  public let remove: [String]
  /// The mode that the file gets; nil where it keeps its own.
  public let mode: FileMode?

  /// Trusts that no name stands twice.
  public init(set: [(name: String, value: SharedSecret)], remove: [String], mode: FileMode? = nil) {
    self.set = set
    self.remove = remove
    self.mode = mode
  }
}

/// Why a target could not be written.
public struct TargetFailure: Error, Hashable, Sendable {
  /// Whether it could not be reached, as opposed to being refused.
  public let isUnreachable: Bool
  /// A sentence without a value.
  public let reason: String

  /// Nothing is checked.
  public init(isUnreachable: Bool = false, reason: String) {
    self.isUnreachable = isUnreachable
    self.reason = reason
  }
}
