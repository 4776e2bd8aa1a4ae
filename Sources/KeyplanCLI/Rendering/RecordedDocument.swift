import KeyplanApply
import KeyplanCore

/// The records as JSON, by name: versions, times and states, and no value.
struct RecordedDocument: Encodable {
  let formatVersion = 1
  let store: StoreState?
  let keys: [String: KeyRecord]
  let slots: [String: SlotRecord]
  let targets: [String: TargetRecord]
  let accounts: [String: AccountFields]
  let recipients: [String: Recipient]
  let surface: [SurfaceItem]
  let interrupted: [String: Moment]

  /// Nil where one record is asked for that is not there.
  init?(_ recorded: Recorded, only address: Address?) {
    func named<Thing, Value>(_ records: [Identifier<Thing>: Value], _ chosen: (Identifier<Thing>) -> Address)
      -> [String: Value]
    {
      var named: [String: Value] = [:]
      for (name, value) in records where address == nil || chosen(name) == address { named[name.name] = value }
      return named
    }
    keys = named(recorded.keys, Address.key)
    slots = named(recorded.slots, Address.slot)
    targets = named(recorded.targets, Address.target)
    accounts = named(recorded.accounts, Address.calendar).mapValues(AccountFields.init)
    recipients = named(recorded.recipients) { _ in .recipients }
    surface = recorded.surface.items.filter { address == nil || .surface($0) == address }.sorted()
    store = recorded.store
    var interrupted: [String: Moment] = [:]
    for (place, since) in recorded.interrupted where address == nil || place == address {
      interrupted[place.description] = since
    }
    self.interrupted = interrupted
    let isEmpty =
      accounts.isEmpty && keys.isEmpty && slots.isEmpty && targets.isEmpty && recipients.isEmpty && surface.isEmpty
    if address != nil, isEmpty, interrupted.isEmpty { return nil }
  }
}
