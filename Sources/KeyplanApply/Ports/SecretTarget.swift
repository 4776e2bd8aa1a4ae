public import KeyplanCore
public import KeyplanSecrets

/// A kind of place that secrets are written to. Writing the same twice leaves what writing it once leaves.
public protocol SecretTarget: Sendable {
  /// The type's name in the manifest, such as `dotenv`.
  var type: String { get }

  /// Reads what stands under these names; others are nobody's business.
  func read(_ names: Set<String>, at destination: Destination) async -> TargetAnswer

  /// What is in the way of writing there, as far as that shows without writing. A place that is not readable says so itself.
  func obstacle(at destination: Destination) async -> Obstacle?

  /// Sets and removes names in one go: all of it or nothing of it, and nothing else changes.
  /// - Throws: `TargetFailure`; the place is then as it was.
  func write(_ changes: TargetChanges, at destination: Destination) async throws(TargetFailure)
}

extension SecretTarget {
  /// Nothing is known to be in the way.
  public func obstacle(at destination: Destination) async -> Obstacle? { nil }
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

  /// Trusts that no name stands twice.
  public init(set: [(name: String, value: SharedSecret)], remove: [String]) {
    self.set = set
    self.remove = remove
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
