internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// The content of a place just before a step changes it, as far as the place shows it.
enum HeldNames: Sendable {
  case entries([String: FoundEntry]), marks([String: Mark?]), unseen

  var marks: [String: Mark?]? { if case .marks(let marks) = self { marks } else { nil } }

  /// The names whose values could not be read, although others at the place could. keyplan may not have written them.
  var failures: [String: AccessFailure] {
    if case .entries(let found) = self { found.compactMapValues(\.failure) } else { [:] }
  }

  /// Whether a withdrawal may take these names away: each that can be read still holds, or still lacks, what the plan saw.
  func matches(_ ground: Precondition, _ owners: [String: Set<Identifier<Key>>]) -> Bool {
    switch self {
    case .entries(let found):
      guard let planned = ground.target else { return true }
      return owners.allSatisfy { name, keys in
        if found[name]?.failure != nil { return true }
        guard let there = found[name], let print = planned[name] else {
          return found[name] == nil && planned[name] == nil
        }
        return keys.contains { there.fingerprint(of: $0) == print }
      }
    case .marks: return moved(owners.keys, since: ground).isEmpty
    case .unseen: return true
    }
  }

  /// The names whose marks are not those that the plan saw.
  func moved(_ names: some Sequence<String>, since ground: Precondition) -> Set<String> {
    guard case .marks(let found) = self, let planned = ground.marks else { return [] }
    return Set(names.filter { name in found[name].map { $0?.text ?? "" } != planned[name] })
  }
}

extension Precondition {
  /// Whether the plan saw what the target holds.
  var isSeen: Bool { target != nil || marks != nil }
}
