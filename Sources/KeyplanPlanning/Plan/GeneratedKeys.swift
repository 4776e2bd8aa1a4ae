internal import KeyplanModel

extension Key {
  /// The time at which the recorded value is to be replaced under its policy; nil if no policy replaces it.
  func rotationEnd(of record: KeyRecord) -> Moment? {
    guard generated != nil || minting != nil, let expiry = facts.expiry, expiry.then == .rotate else { return nil }
    return expiry.end(from: record.birth(under: facts))
  }
}

extension Manifest {
  /// Whether keyplan makes the next value of the key, or has it made.
  private func isGenerated(_ id: Identifier<Key>) -> Bool {
    guard let key = keys[id] else { return false }
    return key.generated != nil || key.minting.map { $0.manual == nil } ?? false
  }

  /// Diagnostics and findings contain whether keyplan generates the value, or makes it of others, because their fix depends on it.
  func marking(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.map { diagnostic in
      guard case .key(let id, _) = diagnostic.issue else { return diagnostic }
      if let parts = keys[id]?.composition?.parts {
        return Diagnostic(diagnostic.issue, at: diagnostic.place, parts: parts)
      }
      guard isGenerated(id) else { return diagnostic }
      return Diagnostic(diagnostic.issue, at: diagnostic.place, isGenerated: true)
    }
  }

  func marking(_ finding: Finding) -> Finding {
    let key: Identifier<Key>?
    switch (finding.fact, finding.address) {
    case (.slotWithoutKey(let id, _), _): key = id
    case (_, .key(let id)): key = id
    default: key = nil
    }
    if let key, let parts = keys[key]?.composition?.parts {
      return Finding(finding.fact, at: finding.address, level: finding.level, since: finding.since, parts: parts)
    }
    guard let key, isGenerated(key) else { return finding }
    return Finding(finding.fact, at: finding.address, level: finding.level, since: finding.since, generatedKey: key)
  }
}
