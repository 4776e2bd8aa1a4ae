package import KeyplanModel

/// The program that is run after something was written to a target, or withdrawn from it.
package struct TargetHook: Hashable, Sendable, Codable {
  /// The program and its arguments.
  package let command: [String]

  package init(_ hook: Reference) { command = hook.arguments }
}
