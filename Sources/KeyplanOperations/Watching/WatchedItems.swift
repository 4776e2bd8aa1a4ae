package import KeyplanModel
package import KeyplanReporting

/// The keys and slots that are watched, and their state for readers at the last read of the records.
package struct WatchedItems: Sendable {
  /// Nil for all.
  private let chosen: [Address]?
  private var seen: [Address: Served] = [:]

  /// The state of a key for readers.
  private struct Served: Equatable, Sendable {
    let key: Identifier<Key>
    let version: String
    let number: Int64
    let provider: String
    let state: State

    enum State: Sendable { case current, revoked, retired }

    init(_ key: Identifier<Key>, _ record: KeyRecord, at now: Moment) {
      (self.key, version, number) = (key, StoreReading.version(of: record, key), record.version.number)
      provider = record.facts.provider
      state =
        switch record.serving(at: now) {
        case .asUsual, .pastItsEnd, .refusedByProvider: .current
        case .retired: .retired
        case .revoked: .revoked
        }
    }
  }

  /// - Parameter names: `KEY`, `key.KEY` or `active.SLOT`; empty for all.
  /// - Throws: `Failure` for a name without a record.
  package init(_ names: [String], in recorded: Recorded, at now: Moment) throws(Failure) {
    var chosen: [Address] = []
    for name in names {
      guard let item = Self.address(name), let served = Self.served(item, in: recorded, at: now) else {
        throw .notRecorded(name, in: recorded)
      }
      if seen.updateValue(served, forKey: item) == nil { chosen.append(item) }
    }
    self.chosen = names.isEmpty ? nil : chosen
    if names.isEmpty { for item in Self.all(recorded) { seen[item] = Self.served(item, in: recorded, at: now) } }
  }

  private static func address(_ name: String) -> Address? {
    switch Address(name) {
    case .key(let key): .key(key)
    case .slot(let slot): .slot(slot)
    default: Identifier<Key>(name).map { .key($0) }
    }
  }

  private static func all(_ recorded: Recorded) -> [Address] {
    recorded.slots.keys.map { .slot($0) } + recorded.keys.keys.map { .key($0) }
  }

  private static func served(_ item: Address, in recorded: Recorded, at now: Moment) -> Served? {
    let key: Identifier<Key>? =
      switch item {
      case .key(let key): key
      case .slot(let slot): recorded.slots[slot]?.key
      default: nil
      }
    guard let key, let record = recorded.keys[key] else { return nil }
    return Served(key, record, at: now)
  }

  /// The current state of all items, as if it were new; sorted by address.
  package func present(at now: Moment) -> [WatchChange] {
    seen.map { item, served in
      let kind: WatchChange.Kind =
        switch served.state {
        case .current: .present
        case .revoked: .revoked
        case .retired: .retired
        }
      return Self.change(item, kind, served, at: now)
    }
    .sorted { "\($0.item)" < "\($1.item)" }
  }

  /// The changes since the last call; sorted by address.
  package mutating func changes(in recorded: Recorded, at now: Moment) -> [WatchChange] {
    var changes: [WatchChange] = []
    for item in Set(chosen ?? Self.all(recorded)).union(seen.keys) {
      let (before, served) = (seen[item], Self.served(item, in: recorded, at: now))
      seen[item] = served
      guard let kind = Self.kind(before, served), let shown = served ?? before else { continue }
      changes.append(Self.change(item, kind, shown, at: now))
    }
    return changes.sorted { "\($0.item)" < "\($1.item)" }
  }

  private static func kind(_ before: Served?, _ served: Served?) -> WatchChange.Kind? {
    guard let served else { return before == nil ? nil : .removed }
    // A provider that was renamed is another description of the same value.
    guard let before else { return served.state == .current ? .added : kind(of: served) }
    if before.key == served.key, before.version == served.version, before.state == served.state { return nil }
    guard served.state == .current else { return kind(of: served) }
    return before.key == served.key ? .changed : .switched
  }

  private static func kind(of served: Served) -> WatchChange.Kind {
    switch served.state {
    case .current: .changed
    case .revoked: .revoked
    case .retired: .retired
    }
  }

  private static func change(_ item: Address, _ kind: WatchChange.Kind, _ served: Served, at now: Moment) -> WatchChange
  {
    WatchChange(
      item, kind, key: served.key, provider: served.provider, version: served.number, at: now)
  }
}
