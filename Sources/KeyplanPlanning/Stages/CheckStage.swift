internal import KeyplanModel

/// Reports providers' answers about values without a replacement.
struct CheckStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(_ context: PlanningContext, _ states: PlannedKeyStates) {
    self.context = context
    for (id, record) in recorded.keys where record.version.check != nil && record.revocation == nil {
      guard let check = record.version.check, let key = manifest.keys[id], let state = states[id], !state.isOutOfUse,
        state.fingerprint == nil || state.fingerprint == record.version.fingerprint
      else { continue }
      if check.outcome.isUnusable {
        report(.key(id, .refusedByProvider(check)), at: key.place)
        continue
      }
      if check.outcome == .noCredit { report(.key(id, .noCredit(check)), at: key.place) }
      if let told = record.told(under: key.facts) {
        report(told, of: id, key, record)
      }
    }
    for (id, finding) in observed.leases where finding == .ended {
      guard let key = manifest.keys[id], let issued = recorded.keys[id]?.issuedKey, states[id]?.isRevoked != true else {
        continue
      }
      report(.key(id, .leaseEnded(at: issued.place.brief)), at: key.place)
    }
  }

  /// The end that the provider named, unless the policy has an earlier one.
  private mutating func report(_ told: Expiry, of id: Identifier<Key>, _ key: Key, _ record: KeyRecord) {
    let birth = record.birth(under: key.facts)
    let end = told.end(from: birth)
    if let own = key.facts.expiry, own.end(from: birth) <= end { return }
    switch told.state(from: birth, at: now) {
    case .fresh: break
    case .soon: report(.key(id, .expiresSoon(told.limit, on: end)), at: key.place)
    case .over: report(.key(id, .expired(on: end)), at: key.place)
    }
  }
}
