internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// The result of changes to a target, name by name.
struct ChangeOutcome: Sendable {
  /// The names that are as they should be, with their marks.
  var done: [String: Mark?] = [:]
  /// The names whose write was neither confirmed nor refused.
  var unknown: Set<String> = []
  /// The result of all names together.
  var result = StepResult.done

  /// Adds the names that were left as they are because their values could not be read.
  mutating func leave(_ unread: [String: AccessFailure], of all: Int) {
    guard result == .done, let (name, failure) = unread.min(by: { $0.key < $1.key }) else { return }
    let sum = StepFailure.NamesDone(done: done.count, all: all)
    result = .failed(.nameRefused(name, failure, more: unread.count - 1, sum))
  }
}

extension ChangeOutcome {
  /// Sums the results of all names up.
  init(_ names: [String], _ results: [String: WriteResult], at destination: Destination) {
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
  mutating func readMarks(_ changes: TargetChanges, _ target: any SecretTarget, _ destination: Destination) async {
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
