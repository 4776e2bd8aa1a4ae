import Foundation

/// Ends a wait for something that never comes, long after it should have come on any machine.
public struct Deadline: Sendable {
  private let end = Date(timeIntervalSinceNow: 1200)

  /// Twenty minutes from now.
  public init() {}

  /// Whether it is time to give up.
  public var isOver: Bool { Date() > end }
}
