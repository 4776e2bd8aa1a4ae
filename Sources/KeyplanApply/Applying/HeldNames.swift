internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets

/// What a place holds just before a step changes it, as far as it shows it.
enum HeldNames: Sendable {
  case entries([String: FoundEntry]), marks([String: Mark?]), unseen

  var marks: [String: Mark?]? { if case .marks(let marks) = self { marks } else { nil } }

  /// The names whose values could not be read, although others at the place could. They may be somebody else's.
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

/// What became of changes to a target, name by name.
struct ChangeOutcome: Sendable {
  /// The names that are as they should be, with their marks.
  var done: [String: Mark?] = [:]
  /// The names whose write was neither confirmed nor refused.
  var unknown: Set<String> = []
  /// How the whole ended.
  var result = StepResult.done

  /// Adds the names that were left as they are because their values could not be read.
  mutating func leave(_ unread: [String: AccessFailure], of all: Int) {
    guard result == .done, let (name, failure) = unread.min(by: { $0.key < $1.key }) else { return }
    let sum = StepFailure.NamesDone(done: done.count, all: all)
    result = .failed(.nameRefused(name, failure, more: unread.count - 1, sum))
  }
}

extension Run {
  struct Refused: Error { let result: StepResult }

  /// What a place holds now under these names; nothing where it cannot show it.
  func held(
    _ destination: Destination, _ names: [String: Set<Identifier<Key>>], _ record: TargetRecord?
  ) async -> Result<(names: HeldNames, placeId: String?), Refused> {
    let sight = await applier.observer.look(destination, names)
    if let record, record.destination == destination, let known = record.placeId, let found = sight.placeId,
      known != found
    {
      return .failure(Refused(result: .stale(.replaced(destination))))
    }
    return switch sight.finding {
    case .failed(let failure): .failure(Refused(result: .failed(failure)))
    case .notAllowed, .notAskedHere: .success((.unseen, sight.placeId))
    case .entries(let entries): .success((.entries(entries), sight.placeId))
    case .marks(let marks): .success((.marks(marks), sight.placeId))
    }
  }

  /// Writes, unless there is nothing to write: then the step is a mere record.
  func change(_ changes: TargetChanges, at destination: Destination) async -> ChangeOutcome {
    let target = applier.observer.targets[destination.type]
    guard !changes.set.isEmpty || !changes.remove.isEmpty || changes.mode != nil else {
      // A write that failed after it had replaced the values can have left an old one.
      await target?.removeLeftovers(at: destination)
      return ChangeOutcome()
    }
    guard let target else {
      return ChangeOutcome(result: .failed(.unsupported(.targets(type: destination.type))))
    }
    let results: [String: WriteResult]
    do throws(AccessFailure) {
      results = try await target.write(changes, at: destination)
    } catch {
      return ChangeOutcome(result: .failed(error))
    }
    var outcome = ChangeOutcome(changes.names, results, at: destination)
    if target.backend.target?.readsBack == .marks { await outcome.readMarks(changes, target, destination) }
    return outcome
  }
}

extension ChangeOutcome {
  /// Sums the results of all names up.
  fileprivate init(_ names: [String], _ results: [String: WriteResult], at destination: Destination) {
    var stale: [String] = []
    var refused: [(name: String, failure: AccessFailure)] = []
    for name in names.sorted() {
      switch results[name] {
      case .done(let mark): done[name] = .some(mark)
      case .stale: stale.append(name)
      case .refused(let failure): refused.append((name, failure))
      case .unknown, nil: unknown.insert(name)
      }
    }
    let sum = StepFailure.NamesDone(done: done.count, all: names.count)
    if let (name, failure) = refused.first {
      result = .failed(.nameRefused(name, failure, more: refused.count - 1, sum))
    } else if let name = unknown.min() {
      let reason: String? = if case .unknown(let reason) = results[name] { reason } else { nil }
      result = .failed(.unconfirmed(name, at: destination, more: unknown.count - 1, sum, reason: reason))
    } else if let name = stale.first {
      result = .stale(.entryChanged(name, at: destination, sum))
    }
  }

  /// The marks as they are after the write, where the write did not return them. A name that is not shown now is not known to be done.
  fileprivate mutating func readMarks(
    _ changes: TargetChanges, _ target: any SecretTarget, _ destination: Destination
  ) async {
    let asked = changes.set.map(\.name).filter { done[$0] == .some(nil) }
    guard !asked.isEmpty else { return }
    let found: [String: Mark?] =
      if case .marks(let marks) = await target.read(Set(asked), at: destination) { marks } else { [:] }
    for name in asked {
      if let mark = found[name] {
        done[name] = .some(mark)
      } else {
        done[name] = nil
        unknown.insert(name)
      }
    }
    guard let name = unknown.min(), result == .done else { return }
    result = .failed(.notShown(name, at: destination))
  }
}
