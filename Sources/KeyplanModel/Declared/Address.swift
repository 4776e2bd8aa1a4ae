/// The subject of a step, a finding or a diagnostic, as people type it: `key.openai-main`, `active.assistant`, `target.app`,
/// `target.app.WEATHER_KEY`, `calendar.home`, `recipients`, `surface.command op read x`, `migration.2`.
package enum Address: Hashable, Sendable {
  /// A key's record.
  case key(Identifier<Key>)
  /// A slot and the key that is active in it.
  case slot(Identifier<Slot>)
  /// A target with all its names.
  case target(Identifier<Target>)
  /// One name at a target.
  case entry(Identifier<Target>, name: String)
  /// A calendar account.
  case calendar(Identifier<Account>)
  /// The store's recipients.
  case recipients
  /// One thing outside that the manifest may touch.
  case surface(ExternalAccess)
  /// A migration, by its place in the list, from 1.
  case migration(Int)
  /// The rules for keys.
  case rules
  /// The store itself.
  case store

  /// Reads what `description` writes. Nil for anything else.
  package init?(_ text: some StringProtocol) {
    switch text {
    case "recipients":
      self = .recipients
      return
    case "rules":
      self = .rules
      return
    case "store":
      self = .store
      return
    default: break
    }
    guard let dot = text.firstIndex(of: ".") else { return nil }
    let rest = text[text.index(after: dot)...]
    switch text[..<dot] {
    case "key": self.init(Identifier<Key>(rest).map(Address.key))
    case "active": self.init(Identifier<Slot>(rest).map(Address.slot))
    case "calendar": self.init(Identifier<Account>(rest).map(Address.calendar))
    case "target":
      guard let inner = rest.firstIndex(of: ".") else {
        self.init(Identifier<Target>(rest).map(Address.target))
        return
      }
      let name = String(rest[rest.index(after: inner)...])
      self.init(name.isEmpty ? nil : Identifier<Target>(rest[..<inner]).map { Address.entry($0, name: name) })
    case "surface": self.init(ExternalAccess(rest).map(Address.surface))
    case "migration": self.init(Int(rest).flatMap { $0 > 0 && "\($0)" == rest ? Address.migration($0) : nil })
    default: return nil
    }
  }

  private init?(_ address: Address?) {
    guard let address else { return nil }
    self = address
  }
}

extension Address: CustomStringConvertible {
  /// The typed form, which `init(_:)` reads back.
  package var description: String {
    switch self {
    case .key(let key): "key.\(key)"
    case .slot(let slot): "active.\(slot)"
    case .target(let target): "target.\(target)"
    case .entry(let target, let name): "target.\(target).\(name)"
    case .calendar(let calendar): "calendar.\(calendar)"
    case .recipients: "recipients"
    case .surface(let item): "surface.\(item)"
    case .migration(let number): "migration.\(number)"
    case .rules: "rules"
    case .store: "store"
    }
  }
}

extension Address: Comparable {
  /// By text, so that output sorted by address is the same on every machine.
  package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

extension Address: Codable {
  /// Reads the typed form.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let address = Self(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "This is not an address."))
    }
    self = address
  }

  /// Writes the typed form.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
