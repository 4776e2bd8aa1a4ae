package import KeyplanModel
internal import KeyplanPlanning

/// The history of records as far as the store keeps it: by address, without a value.
package struct RecordHistory: Sendable {
  /// The records.
  package let entries: [Entry]
  /// The plans that were applied, the latest first; empty where only one record is asked for.
  package let runs: [AppliedPlan]

  /// One record, current or former.
  package enum Entry: Sendable {
    case key(Identifier<Key>, KeyRecord)
    /// A record that can be restored.
    case forgotten(ForgottenKey)
    case slot(Identifier<Slot>, SlotRecord)
    /// A target with the requested names.
    case target(Identifier<Target>, TargetRecord)
    case account(Identifier<Account>, AccountRecord)
  }

  /// One version of a key's value, with its state.
  package struct Version: Sendable {
    package let version: KeyVersion
    package let isCurrent: Bool
    /// Whether plans reject this value if a source has it.
    package let isRejected: Bool
    /// The revocation of its value.
    package let revocation: Revocation?
    /// The oldest other version with the same value.
    package let equals: Int64?
  }

  /// The records of these kinds, or those at one address.
  package init(_ recorded: Recorded, of kinds: RecordKinds = .all, only address: Address? = nil) {
    runs = address == nil && kinds != .keys ? recorded.applied.reversed() : []
    var entries: [(address: Address, entry: Entry)] = []
    for (id, record) in recorded.keys { entries.append((.key(id), .key(id, record))) }
    for (id, record) in recorded.accounts { entries.append((.calendar(id), .account(id, record))) }
    for (id, record) in recorded.slots { entries.append((.slot(id), .slot(id, record))) }
    for (id, record) in recorded.targets {
      var record = record
      if case .entry(id, let name) = address { record.entries = record.entries.filter { $0.key == name } }
      entries.append((.target(id), .target(id, record)))
    }
    // Those of one name newest first, after the record that has the name now.
    for forgotten in recorded.forgotten.reversed() { entries.append((.key(forgotten.key), .forgotten(forgotten))) }
    let chosen: Address? = if case .entry(let id, _) = address { .target(id) } else { address }
    let parts = chosen.map { recorded.parts(at: $0, andForgotten: true) } ?? []
    self.entries = entries.filter { kinds.contain($0.address) }
      .filter { chosen == nil || $0.address == chosen || parts.contains($0.address) }
      .map { (name: $0.address.description, entry: $0.entry) }.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element.entry)
  }

  /// A key's versions, the newest number first.
  package static func versions(of record: KeyRecord) -> [Version] {
    let all = ([record.version] + record.history).sorted { $0.number > $1.number }
    return all.map { version in
      Version(
        version: version, isCurrent: version.number == record.version.number,
        isRejected: version.fingerprint == record.rejected, revocation: record.revocation(of: version.fingerprint),
        equals: all.last { $0.fingerprint == version.fingerprint && $0.number < version.number }?.number)
    }
  }
}
