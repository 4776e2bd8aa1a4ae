package import KeyplanModel

extension Recorded {
  /// The values that an effect needs and that only other recipients can open. The effect needs no other value that is closed.
  package func closedValues(for effect: Effect) -> [ClosedValue] {
    guard access != nil else { return [] }
    switch effect {
    case .store(.rewrap(let rewrap)): return rewrap.replacesRootKey ? allClosed : []
    case .store(.key(let id, let effect)):
      let own = closedValue(for: effect, of: id).map { [$0] } ?? []
      return own + (effect.write?.composition?.parts.compactMap { closedValue(of: $0) } ?? [])
    case .outside(.sync(_, let write)):
      let needed = Set(write.entries.lazy.filter { $0.reason != .alreadyThere }.map(\.key))
      return needed.sorted().compactMap { closedValue(of: $0) }
    case .store, .outside, .person: return []
    }
  }

  private func closedValue(for effect: KeyEffect, of key: Identifier<Key>) -> ClosedValue? {
    switch effect {
    case .store(let write), .replace(let write), .adopt(let write, _): closedValue(of: key, as: write.facts)
    case .update(let write):
      write.facts.recipients == keys[key]?.facts.recipients ? nil : closedValue(of: key, as: write.facts)
    case .accept: closedValue(of: key)
    // The records have the new name already, unless the names are those before the moves.
    case .move(let old): closedValue(of: key) ?? closedValue(of: old)
    case .rollback, .restore, .retire, .revoke, .purge, .forget: nil
    }
  }
}
