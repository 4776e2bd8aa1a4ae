/// Places whose values cannot be read back: declared × recorded × marks.
extension TargetStage {
  mutating func planMarks(
    _ id: Identifier<Target>, _ target: Target, _ record: TargetRecord?, _ names: [String: Identifier<Key>],
    _ found: [String: Mark?], heirOf others: [TargetRecord]
  ) {
    if found.values.contains(nil) {
      report(.target(id, .writeOnly(target.destination)), at: target.place)
    }
    let attempt = recorded.attempts[id].flatMap { $0.destination == target.destination ? $0 : nil }
    var entries: [TargetWrite.Entry] = []
    var ground: [String: String] = [:]
    for (name, key) in names.inOrder {
      let inherited = others.compactMap { $0.entries[name] }
      let mark = found[name]
      let reason =
        attempt?.names[name] != nil
        ? TargetWrite.Reason.notReadable : reason(for: key, recorded: record?.entries[name], inherited, mark)
      guard let reason else { continue }
      entries.append(TargetWrite.Entry(name: name, key: key, reason: reason))
      ground[name] = mark.map { $0?.text ?? "" }
    }
    let taken = entries.filter { $0.reason == .takeOver }.map(\.name)
    if !target.takeOver, !allowances.overwrite {
      reportTaken(taken, id, target, canBeRead: false)
    }
    addSync(id, target, record, entries, TargetPrecondition(marks: ground), total: names.count)
  }

  /// Why a name is written; nil where all is well.
  /// - Parameter found: nil where the name is not there, a nil inside where it has no mark.
  private func reason(
    for key: Identifier<Key>, recorded entry: TargetRecord.Entry?, _ inherited: [TargetRecord.Entry], _ found: Mark??
  ) -> TargetWrite.Reason? {
    guard let entry else {
      guard let found else { return .new }
      return inherited.contains { $0.isOurs(marked: found) } ? .keyChanged : .takeOver
    }
    let isCurrent = entry.key == key && states[key]?.fingerprint == entry.fingerprint
    guard let found else { return entry.kept == nil ? .missingThere : .new }
    guard entry.kept != nil || entry.isOurs(marked: found) else { return .changedThere }
    return isCurrent ? nil : .keyChanged
  }
}

extension TargetRecord.Entry {
  /// Whether what is at the place can be what was written there: where one of the two marks is not known, nothing says otherwise.
  func isOurs(marked found: Mark?) -> Bool {
    guard kept == nil else { return false }
    guard let mark, let found else { return true }
    return mark == found
  }
}

/// The precondition of a step at a target.
struct TargetPrecondition {
  /// What was held under each name; nil where values were not read.
  var values: [String: Fingerprint]?
  /// The marks under each name; nil where marks were not read.
  var marks: [String: String]?

  /// Nothing was read.
  static let unseen = TargetPrecondition()
}
