internal import KeyplanModel

/// Places whose values cannot be read back: declared × recorded × marks.
extension TargetStage {
  mutating func planMarks(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ wish: TargetWish,
    _ found: [String: Mark?], heirOf others: [TargetRecord]
  ) {
    if found.values.contains(nil) {
      report(.target(id, .writeOnly(target.destination)), at: target.place)
    }
    var entries: [TargetWrite.Entry] = []
    var ground: [String: String] = [:]
    for (name, key) in wish.keys.inOrder {
      let mark = found[name]
      let seen = mark.map { NameFacts.Seen.mark($0) } ?? .nothing
      guard let reason = facts(name, key, id, target, record, seen, others).reason(among: recorded.keys) else {
        continue
      }
      entries.append(TargetWrite.Entry(name: name, key: key, reason: reason))
      ground[name] = mark.map { $0?.text ?? "" }
    }
    let taken = entries.filter { $0.reason == .takeOver && !isBlocked($0.name, at: target.destination) }.map(\.name)
    if !target.takeOver, !allowances.overwrite {
      reportTaken(taken, id, target, canBeRead: false)
    }
    addSync(id, target, record, entries, TargetPrecondition(marks: ground), of: wish)
  }
}

extension TargetRecord.Entry {
  /// Whether the value at the place can be the written one: an unknown mark on either side contradicts nothing.
  func isOurs(marked found: Mark?) -> Bool {
    guard kept == nil else { return false }
    guard let mark, let found else { return true }
    return mark == found
  }
}

/// The precondition of a step at a target.
struct TargetPrecondition {
  /// The value under each name; nil if values were not read.
  var values: [String: Fingerprint]?
  /// The marks under each name; nil if marks were not read.
  var marks: [String: String]?

  /// Nothing was read.
  static let unseen = TargetPrecondition()

  mutating func remove(_ names: Set<String>) {
    for name in names {
      values?[name] = nil
      marks?[name] = nil
    }
  }
}
