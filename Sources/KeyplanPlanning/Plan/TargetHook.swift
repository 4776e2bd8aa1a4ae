package import KeyplanModel

/// The program that is run after something was written to a target, or withdrawn from it.
package struct TargetHook: Hashable, Sendable, Codable {
  /// The program and its arguments.
  package let command: [String]

  package init(_ hook: Reference) { command = hook.arguments }
}

extension OutsideEffect {
  /// The target at which it sets or removes names, so that the target's hook is due; nil if it does neither.
  package var changedTarget: Identifier<Target>? {
    switch self {
    case .sync(let id, let write): write.entries.contains { $0.reason != .alreadyThere } ? id : nil
    case .withdraw(let id, let removal): removal.names.isEmpty ? nil : id
    case .run, .removeOriginal, .mint, .settle, .disable, .end, .renew, .refresh, .select, .signOut: nil
    }
  }
}
