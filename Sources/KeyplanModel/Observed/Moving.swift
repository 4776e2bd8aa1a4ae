extension Manifest {
  /// The moves that are still to be carried out: for each new name the one that is recorded.
  package func moves(in recorded: Recorded) -> [Identifier<Key>: Identifier<Key>] {
    let all = moving(in: recorded)
    let held = Self.held(all)
    return all.filter { new, _ in new.whole.map { !held.contains($0) } ?? true }
      .compactMapValues { $0.count == 1 ? $0[0] : nil }
  }

  /// The records that keep their names because a part of the same key cannot be moved: all parts move or none.
  package func held(in recorded: Recorded) -> Set<Identifier<Key>> {
    let all = moving(in: recorded)
    let held = Self.held(all)
    return Set(all.lazy.filter { new, _ in new.whole.map(held.contains) ?? false }.flatMap(\.value))
  }

  /// The keys with several parts of which one cannot be moved.
  private static func held(_ moves: [Identifier<Key>: [Identifier<Key>]]) -> Set<Identifier<Key>> {
    Set(moves.lazy.filter { $0.value.count > 1 }.compactMap(\.key.whole))
  }

  /// The moves that cannot be carried out, because more than one record would get the same name.
  package func collisions(in recorded: Recorded) -> [Identifier<Key>: [Identifier<Key>]] {
    moving(in: recorded).filter { $0.value.count > 1 }
  }

  /// For each new name, the recorded names that move to it, and the new name itself if it is recorded as well.
  private func moving(in recorded: Recorded) -> [Identifier<Key>: [Identifier<Key>]] {
    var origins: [Identifier<Key>: [Identifier<Key>]] = [:]
    for migration in migrations {
      guard case .key(let old) = migration.origin, let new = migration.key, recorded.keys[old] != nil,
        keys[old] == nil, keys[new] != nil, !recorded.hasMoved(old, to: new)
      else { continue }
      origins[new, default: []].append(old)
    }
    for new in origins.keys where recorded.keys[new] != nil { origins[new]?.append(new) }
    return origins
  }
}

extension Recorded {
  /// Whether a move was carried out, and is not to be again. A name that went there and back can go there again.
  fileprivate func hasMoved(_ old: Identifier<Key>, to new: Identifier<Key>) -> Bool {
    migrated.contains(Migration.mark(moving: old, to: new))
      && !migrated.contains(Migration.mark(moving: new, to: old))
  }

  /// The records as they will be called after these moves, for each new name the old one. Revisions stay, and fingerprints
  /// stay in the domains of the old names.
  package func moving(_ moves: [Identifier<Key>: Identifier<Key>]) -> Recorded {
    guard !moves.isEmpty else { return self }
    var moved = self
    var names: [Identifier<Key>: Identifier<Key>] = [:]
    for (new, old) in moves where keys[new] == nil {
      guard let record = moved.keys.removeValue(forKey: old) else { continue }
      moved.keys[new] = record
      names[old] = new
      if let failure = moved.failures.removeValue(forKey: .key(old)) { moved.failures[.key(new)] = failure }
    }
    for (id, slot) in slots {
      if let new = names[slot.key] { moved.slots[id]?.key = new }
    }
    moved.renameParts(names)
    moved.mints = mints(moving: names)
    moved.access?.move(names)
    moved.guards = guards.moving(names)
    moved.attempts = attempts.mapValues { attempt in
      WriteAttempt(destination: attempt.destination, names: attempt.names.mapValues { names[$0] ?? $0 })
    }
    for (id, target) in targets where target.entries.values.contains(where: { names[$0.key] != nil }) {
      moved.targets[id]?.entries = target.entries.mapValues { entry in
        entry.renewed(key: names[entry.key] ?? entry.key, fingerprint: entry.fingerprint)
      }
    }
    return moved
  }

  /// The requests once keys have other names; `names` has the new name for each old one. For parts, the request is that of the whole key.
  private func mints(moving names: [Identifier<Key>: Identifier<Key>]) -> [Identifier<Key>: MintAttempt] {
    var moved = mints
    guard !moved.isEmpty else { return moved }
    for (old, new) in names {
      guard let attempt = moved.removeValue(forKey: old.whole ?? old) else { continue }
      moved[new.whole ?? new] = attempt
    }
    return moved
  }
}
