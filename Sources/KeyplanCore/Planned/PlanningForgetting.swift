extension Draft {
  /// Ends the records of keys that are no longer declared, within the guards.
  mutating func planForgetting() {
    let leaving = recorded.keys.inOrder.filter { manifest.keys[$0.key] == nil }
    guard !leaving.isEmpty else { return guardWithdrawals() }
    for (id, record) in leaving where !stuck.contains(id) {
      let targets = recorded.targets.inOrder.filter { $0.value.entries.values.contains { $0.key == id } }
      let slots = recorded.slots.inOrder.filter { $0.value.key == id }
      add(
        .forget, at: .key(id), because: .manifest, on: Ground(revision: record.revision),
        after: slots.map { .slot($0.key) } + targets.map { .target($0.key) })
    }
    if !allowances.forget {
      guardForgetting(leaving.map { ($0.key, $0.value) })
      guardWithdrawals()
    }
  }

  /// Above this many, and above 30 %, removals need a person to say so.
  private static let freeRemovals = 3

  private static func isTooMuch(_ count: Int, of all: Int) -> Bool {
    count > freeRemovals && count * 10 > all * 3
  }

  private mutating func guardForgetting(_ leaving: [(Identifier<Key>, KeyRecord)]) {
    let hint = "If that is meant: --allow-forget."
    let names = Self.list(leaving.map { $0.0.name })
    if leaving.count == recorded.keys.count {
      diagnostics.append(
        Diagnostic(
          .keyProtected, "No recorded key is declared any more: \(names) would be forgotten, and none would be left.",
          hint: hint))
    } else if Self.isTooMuch(leaving.count, of: recorded.keys.count) {
      diagnostics.append(
        Diagnostic(
          .forgetLimit, "\(leaving.count) of \(recorded.keys.count) keys would be forgotten: \(names).", hint: hint))
    }
    for (id, record) in leaving where record.facts.isProtected {
      tell(
        .keyProtected, "\"\(id)\" is protected and no longer declared; it would be forgotten.", hint: hint, of: .key(id)
      )
    }
    for (slot, record) in recorded.slots.inOrder {
      let stays = choices[slot] == nil || choices[slot] == record.key
      guard stays, leaving.contains(where: { $0.0 == record.key }) else { continue }
      tell(
        .keyProtected, "\"\(record.key)\" is active in active.\(slot) and no longer declared; it would be forgotten.",
        hint: "Give the slot another key first. " + hint, of: .key(record.key))
    }
  }

  /// Withdrawals count too, but not those by which a slot hands over to another key.
  private mutating func guardWithdrawals() {
    guard !allowances.forget else { return }
    let all = recorded.targets.values.reduce(0) { $0 + $1.entries.count }
    var names: [String] = []
    for step in steps {
      guard case .withdraw(let removal) = step.effect, case .target(let id) = step.address, !removal.isMove
      else { continue }
      names += removal.names.filter { name in
        guard let key = recorded.targets[id]?.entries[name]?.key else { return false }
        return manifest.keys[key] != nil && !retiring.contains(key) && !isSlotFed(id, name)
      }
    }
    guard Self.isTooMuch(names.count, of: all) else { return }
    diagnostics.append(
      Diagnostic(
        .forgetLimit, "\(names.count) of \(all) synced names would be withdrawn: \(Self.list(names)).",
        hint: "If that is meant: --allow-forget."))
  }

  private func isSlotFed(_ id: Identifier<Target>, _ name: String) -> Bool {
    manifest.targets[id]?.entries.contains { entry in
      guard case .slot(let slot) = entry.feed else { return false }
      return manifest.slots[slot]?.candidates.contains { candidate in
        manifest.keys[candidate].flatMap { entry.name(for: $0.facts) } == name
      } ?? false
    } ?? false
  }

  private static func list(_ names: [String]) -> String {
    names.count <= 8
      ? names.joined(separator: ", ") : names.prefix(8).joined(separator: ", ") + " and \(names.count - 8) more"
  }
}
