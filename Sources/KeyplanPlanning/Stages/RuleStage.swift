package import KeyplanModel

/// Reports rules of the manifest that the plan would break.
struct RuleStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  private let states: PlannedKeyStates
  private let retiring: Set<Identifier<Key>>

  init(_ context: PlanningContext, _ retirements: RetirementStage) {
    self.context = context
    states = retirements.states
    retiring = retirements.retiring
    let broken = manifest.broken { id, key, demand in
      if case .age(let limit) = demand { tooOld(id, key, limit) } else { demand.breach(by: key, in: manifest) }
    }
    decisions.diagnostics = broken
  }

  /// A key whose own policy ends it no later is left to that policy.
  private func tooOld(_ id: Identifier<Key>, _ key: Key, _ limit: Interval) -> KeyIssue.Breach? {
    guard let state = states[id], state.isUsable, !retiring.contains(id) else { return nil }
    let start = states.oldestBirth(of: id, key.facts)
    let end = start + limit
    guard now >= end else { return nil }
    switch key.facts.expiry?.state(from: start, at: end) {
    case .over: return nil
    case .fresh, .soon, nil: return .age(now - start, limit: limit)
    }
  }
}

extension Manifest {
  /// The rules that the manifest itself breaks, whatever is recorded or found: those about sources and providers. Keys that are blocked as a
  /// whole break none.
  package var brokenRules: [Diagnostic] {
    broken { _, key, demand in demand.breach(by: key, in: self) }
  }

  fileprivate func broken(
    _ breach: (Identifier<Key>, Key, Rule.Demand) -> KeyIssue.Breach?
  ) -> [Diagnostic] {
    guard !rules.isEmpty else { return [] }
    let held = Set(unsupported.map(\.address))
    var diagnostics: [Diagnostic] = []
    for (id, key) in keys.inOrder where !held.contains(.key(id)) {
      for rule in rules where rule.keys?.contains(id) ?? true {
        guard let breach = breach(id, key, rule.demand) else { continue }
        diagnostics.append(Diagnostic(.key(id, .breaksRule(rule.name, at: rule.place, breach)), at: key.place))
      }
    }
    return diagnostics
  }
}

extension Rule.Demand {
  /// A source through a connection is of two kinds: that of the connection's name and that of its type.
  fileprivate func breach(by key: Key, in manifest: Manifest) -> KeyIssue.Breach? {
    let ownKind =
      key.composition != nil ? Rule.composedKind : key.generated == nil ? Rule.storeKind : Rule.generatedKind
    let kinds = key.sources.isEmpty ? [ownKind] : key.sources.map(\.scheme)
    func type(_ kind: String) -> String { manifest.connection(named: kind)?.type ?? kind }
    switch self {
    case .age: return nil
    case .sources(let allowed):
      return kinds.first { !allowed.contains($0) && !allowed.contains(type($0)) }.map { .kind($0, allowed: allowed) }
    case .noSources(let forbidden):
      return kinds.first { forbidden.contains($0) || forbidden.contains(type($0)) }
        .map { .forbiddenKind($0, forbidden: forbidden) }
    case .provider(let names):
      return names.contains(key.facts.provider) ? nil : .provider(key.facts.provider, allowed: names)
    }
  }
}
