package import KeyplanModel

/// The findings of drift, and the extent of the comparison.
package struct Drift: Sendable {
  /// The most urgent first.
  package let findings: [Finding]
  /// Diagnostics about the places and services that were not compared.
  package let diagnostics: [Diagnostic]
  /// Counts of the rest: neither a finding nor in place.
  package let left: LookedAt
}

/// Counts of compared and omitted names, keys and services, so that agreement is claimed only for those that were compared.
package struct LookedAt: Hashable, Sendable {
  /// The names that have the value that belongs there.
  package var inPlace = 0
  /// The names that have it, but are not recorded yet.
  package var unrecorded = 0
  /// The names that wait for their first apply.
  package var notYet = 0
  /// The names that have a value which keyplan did not write.
  package var foreign = 0
  /// The names whose key has no usable value.
  package var waiting = 0
  /// The names that were not compared.
  package var notCompared: Set<Address> = []
  /// The keys whose source was compared.
  package var sources = 0
  /// The keys with sources, none of which has a value on this machine.
  package var absent: [Identifier<Key>] = []
  /// The keys that were read once, and whose sources have other values now.
  package var unfollowed = 0
  /// The keys whose source was not read.
  package var notRead: Set<Address> = []
  /// The leased keys that were not looked up at their providers.
  package var notLookedUp: Set<Address> = []

  /// The steps of the next apply that no other count or finding covers.
  package var changes = 0
  /// Those of them that wait for a person.
  package var people = 0
  /// Whether errors stop the next apply, or part of it.
  package var isBlocked = false

  /// The start of a running apply, whose changes are not reported; nil if there is none.
  package var running: Moment?
  /// Whether nothing comparable is declared, and nothing is recorded.
  package var isEmpty = false

  package init() {}

  init(
    _ standings: TargetStandings, _ observed: Observation, _ manifest: Manifest, _ plan: Plan,
    _ diagnostics: [Diagnostic]
  ) {
    self.init(sourcesOf: observed, manifest)
    isBlocked = diagnostics.contains { $0.code.severity == .error }
    people = plan.steps.count(where: \.effect.needsPerson)
    changes = plan.steps.count - people
    running = observed.running
    for row in standings.rows {
      switch row.standing {
      case .inPlace: if row.facts.isRecorded { inPlace += 1 } else { unrecorded += 1 }
      case .notYet: notYet += 1
      case .foreign: foreign += 1
      case .waits: waiting += 1
      case .unknown: notCompared.insert(.entry(row.target, name: row.name))
      case .interrupted, .behind, .removed, .changed, .gone, .leftover, .released: break
      }
    }
  }

  /// Counts the sources that were compared, and the recorded names that were not, for a plan.
  package init(_ observed: Observation, _ manifest: Manifest) {
    self.init(sourcesOf: observed, manifest)
    for (id, record) in observed.recorded.targets {
      guard let target = manifest.targets[id], target.destination == record.destination else { continue }
      switch observed.targets[target.destination] {
      case .notAskedHere where !target.destination.isNeverRead:
        notCompared.formUnion(record.entries.keys.map { .entry(id, name: $0) })
      case .entries(let found):
        for (name, entry) in record.entries where found[name]?.isCompared(with: entry.key) == false {
          notCompared.insert(.entry(id, name: name))
        }
      default: continue
      }
    }
  }

  /// Counts the sources that were compared.
  private init(sourcesOf observed: Observation, _ manifest: Manifest) {
    for (id, finding) in observed.sources {
      switch finding {
      case .value: sources += 1
      case .missing: if observed.recorded.keys[id] != nil { absent.append(id) }
      case .deferred, .contentChanged, .notAskedHere, .notAllowed: notRead.insert(.key(id))
      case .given, .wanted, .failed: break
      }
    }
    absent.sort()
    for (id, key) in manifest.keys where key.follow == .once {
      guard case .value(let found, _, _) = observed.sources[id], let record = observed.recorded.keys[id] else {
        continue
      }
      if record.version.fingerprint != found { unfollowed += 1 }
    }
    notLookedUp = Set(observed.leases.lazy.filter { $0.value == .unknown }.map { .key($0.key) })
    let recorded = observed.recorded
    isEmpty =
      observed.sources.isEmpty && observed.targets.isEmpty && observed.accounts.isEmpty && recorded.keys.isEmpty
      && recorded.targets.isEmpty && recorded.accounts.isEmpty
  }

  /// Whether everything was compared and nothing was found.
  package var isWhole: Bool {
    unrecorded + notYet + foreign + waiting + absent.count + unfollowed + changes + people == 0 && notCompared.isEmpty
      && notRead.isEmpty && notLookedUp.isEmpty && !isBlocked && running == nil
  }
}

extension TargetStandings.Row {
  /// The finding about the name; nil if there is none, or if it is reported elsewhere.
  /// - Parameter isReplaced: whether the next apply writes another value there.
  func finding(_ recorded: Recorded, isReplaced: Bool) -> Finding? {
    let failure = recorded.failures[.target(target)]
    // Most rows have no finding, and need no look-up.
    var isForgotten: Bool { facts.written.map { recorded.keys[$0.key] == nil } ?? false }
    func found(_ fact: FindingFact, _ level: Finding.Level, since: Moment?) -> Finding {
      Finding(fact, at: .entry(target, name: name), level: level, since: since)
    }
    switch standing {
    case .inPlace, .interrupted, .gone, .released, .waits: return nil
    case .removed:
      return found(.valueMissing(destination, isForgotten: isForgotten), .broken, since: facts.written?.syncedAt)
    case .changed:
      let isUnreadable = if case .mark = facts.seen { true } else { false }
      let fact: FindingFact =
        isUnreadable
        ? .valueRewritten(destination, isForgotten: isForgotten) : .valueChanged(destination, isForgotten: isForgotten)
      return found(fact, .broken, since: facts.written?.syncedAt)
    case .behind: return found(.valueBehind(destination, failure, isSeen: isSeen), .pending, since: wantedSince)
    case .leftover: return left(recorded, isReplaced)
    case .notYet, .foreign: return failure.map { found(.valueUnwritten(destination, $0), .pending, since: $0.since) }
    case .unknown:
      // As recorded: the place shows nothing.
      guard let written = facts.written else {
        return failure.map { found(.valueUnwritten(destination, $0), .pending, since: $0.since) }
      }
      switch facts.wanted {
      case .value(written.key, written.fingerprint), .keep: return nil
      case .value: return found(.valueBehind(destination, failure, isSeen: isSeen), .pending, since: wantedSince)
      case .nothing: return left(recorded, isReplaced)
      }
    }
  }

  private var isSeen: Bool { standing != .unknown }

  private func left(_ recorded: Recorded, _ isReplaced: Bool) -> Finding? {
    guard let written = facts.written else { return nil }
    let revocation =
      facts.revocation(among: recorded.keys) ?? recorded.revocation(of: written.fingerprint, for: written.key)
    let reason = revocation.map(LeftReason.revoked) ?? retiredAt.map(LeftReason.retired) ?? .undeclared
    return Finding(
      .valueLeft(destination, reason, isSeen: isSeen, isReplaced: isReplaced), at: .entry(target, name: name),
      level: revocation == nil ? .pending : .broken,
      since: revocation?.at)
  }
}
