package import KeyplanModel

/// The part of a manifest to plan: the addresses that a person named, and their dependencies.
package struct Selection: Hashable, Sendable {
  private let addresses: Set<Address>

  /// A target includes its slots and keys, and a slot its candidates. A key includes everything that its sources access, the parts of its
  /// composed value, and the keys that are composed of it. A key that is no longer declared, or an external access, includes its users.
  package init(_ chosen: some Sequence<Address>, in manifest: Manifest, recorded: Recorded) {
    let migrations = Dictionary(grouping: manifest.migrations, by: \.successor)
    let declared = manifest.surface
    lazy var wholes = WholeKeys(manifest, recorded)
    var addresses: Set<Address> = []
    var open = Array(chosen)
    while let address = open.popLast() {
      guard addresses.insert(address).inserted else { continue }
      switch address {
      case .target(let id):
        guard let target = manifest.targets[id] else { continue }
        for entry in target.entries {
          switch entry.feed {
          case .key(let key): open.append(.key(key))
          case .slot(let slot): open.append(.slot(slot))
          }
        }
        open += manifest.surface(of: target).map(Address.surface)
      case .entry(let id, _): open.append(.target(id))
      case .slot(let id): open += (manifest.slots[id]?.candidates ?? []).map(Address.key)
      case .key(let id):
        if let key = manifest.keys[id] {
          if let minting = key.minting {
            addresses.insert(.key(minting.key))
            open += minting.parts.map { .key($0.key) }
          }
          open += (key.composition?.parts ?? []).map(Address.key)
          open += manifest.surface(of: key).map(Address.surface)
          open += (migrations[.key(id)] ?? []).compactMap(\.original).flatMap(manifest.surface).map(Address.surface)
        } else {
          open += Self.users(of: id, recorded)
          open += (id.whole == nil ? wholes.parts(named: id) : wholes.parts(of: id)).map(Address.key)
        }
      case .migration(let number):
        open += manifest.migrations.filter { $0.number == number }.map(\.successor.address)
      case .surface(let item): if declared[item] == nil { open += Self.holders(of: item, recorded) }
      case .calendar(let id):
        open += (manifest.accounts[id]?.surface ?? []).map(Address.surface)
        open += (migrations[.account(id)] ?? []).compactMap(\.original).flatMap(manifest.surface).map(Address.surface)
      case .recipients, .rules, .store: break
      }
    }
    // Not what else these are made of: that may have changes of its own.
    let keys = addresses.compactMap { if case .key(let id) = $0 { id } else { nil } }
    addresses.formUnion(manifest.composed(of: keys).map(Address.key))
    // An earlier format cannot store all records that steps make.
    self.addresses = addresses.union([.store])
  }

  private static func users(of key: Identifier<Key>, _ recorded: Recorded) -> [Address] {
    recorded.slots.filter { $0.value.key == key }.map { .slot($0.key) }
      + recorded.targets.filter { $0.value.entries.values.contains { $0.key == key } }.map { .target($0.key) }
      + recorded.attempts.filter { $0.value.names.values.contains(key) }.map { .target($0.key) }
  }

  /// The addresses that must be withdrawn from a place before access to it can be revoked.
  private static func holders(of item: ExternalAccess, _ recorded: Recorded) -> [Address] {
    recorded.targets.filter { $0.value.destination.surface == item }.map { .target($0.key) }
      + recorded.attempts.filter { $0.value.destination.surface == item }.map { .target($0.key) }
      + recorded.accounts.filter { $0.value.facts.hosts.contains(item) }.map { .calendar($0.key) }
  }

  /// Whether an address is part of it.
  package func contains(_ address: Address) -> Bool {
    if case .entry(let id, _) = address { addresses.contains(.target(id)) } else { addresses.contains(address) }
  }

  /// The names that are neither declared nor recorded, in their original order.
  package static func unknown(_ chosen: [Address], in manifest: Manifest, recorded: Recorded) -> [Address] {
    chosen.filter { address in
      switch address {
      case .key(let id):
        manifest.keys[id] == nil && recorded.keys[id] == nil && WholeKeys(manifest, recorded).parts(named: id).isEmpty
      case .slot(let id): manifest.slots[id] == nil && recorded.slots[id] == nil
      case .target(let id):
        manifest.targets[id] == nil && recorded.targets[id] == nil && recorded.attempts[id] == nil
      case .entry(let id, let name):
        recorded.targets[id]?.entries[name] == nil && recorded.attempts[id]?.names[name] == nil
          && manifest.targets[id]?.entries.contains { manifest.possibleNames(of: $0).contains(name) } != true
      case .recipients, .surface, .rules, .store: false
      case .migration(let number): !manifest.migrations.contains { $0.number == number }
      case .calendar(let id): manifest.accounts[id] == nil && recorded.accounts[id] == nil
      }
    }
  }
}

extension Plan {
  /// The steps of the selection alone.
  package func limited(to selection: Selection) -> Plan { limited { selection.contains($0) } }

  /// The steps of chosen addresses. A revocation at a provider is left out if it depends on a step that is left out.
  package func limited(to isChosen: (Address) -> Bool) -> Plan {
    let left = Set(steps.map(\.address).filter { !isChosen($0) })
    return Plan(
      steps: steps.filter { step in
        guard isChosen(step.address) else { return false }
        switch step.effect {
        case .outside(.disable), .outside(.end): return left.isDisjoint(with: step.after)
        case .store, .outside, .person: return true
        }
      })
  }
}
