package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// The records as JSON, by name: versions, times and states, and no value.
package struct RecordedDocument: Encodable {
  package let formatVersion = 1
  package let store: StoreState?
  /// The plan that was last applied; absent if one record was asked for, or if none is known.
  package let lastApply: RunFields?
  package let keys: [String: KeyRecord]
  package let slots: [String: SlotRecord]
  package let targets: [String: TargetRecord]
  package let accounts: [String: AccountFields]
  package let recipients: [String: Recipient]
  package let surface: [ExternalAccess]
  package let interrupted: [String: Moment]

  /// Nil if the requested record does not exist.
  package init?(_ recorded: Recorded, of kinds: RecordKinds, only address: Address?) {
    let chosenParts = address.map { recorded.parts(at: $0) } ?? []
    func named<Thing, Value>(_ records: [Identifier<Thing>: Value], _ chosen: (Identifier<Thing>) -> Address)
      -> [String: Value]
    {
      var named: [String: Value] = [:]
      for (name, value) in records where address == nil || chosen(name) == address || chosenParts.contains(chosen(name))
      { named[name.name] = value }
      return named
    }
    keys = kinds == .others ? [:] : named(recorded.keys, Address.key)
    slots = named(recorded.slots, Address.slot)
    if case .entry(let id, let name) = address {
      let found = recorded.targets.filter { $0.key == id && $0.value.entries[name] != nil }
      targets = Dictionary(
        uniqueKeysWithValues: found.map { id, record in
          var record = record
          record.entries = record.entries.filter { $0.key == name }
          return (id.name, record)
        })
    } else {
      targets = named(recorded.targets, Address.target)
    }
    accounts = named(recorded.accounts, Address.calendar).mapValues(AccountFields.init)
    recipients = named(recorded.recipients) { _ in .recipients }
    surface = recorded.surface.items.filter { address == nil || .surface($0) == address }.sorted()
    store = recorded.store
    lastApply = address == nil ? recorded.store?.lastPlan.map(RunFields.init) : nil
    var interrupted: [String: Moment] = [:]
    for (place, since) in recorded.interrupted where address == nil ? kinds.contain(place) : place == address {
      interrupted[place.description] = since
    }
    self.interrupted = interrupted
    let isEmpty =
      accounts.isEmpty && keys.isEmpty && slots.isEmpty && targets.isEmpty && recipients.isEmpty && surface.isEmpty
    if address != nil, isEmpty, interrupted.isEmpty { return nil }
  }
}
