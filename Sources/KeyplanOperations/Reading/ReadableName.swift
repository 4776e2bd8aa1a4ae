internal import KeyplanModel

/// The name of a value: `KEY`, `key.KEY` or `active.SLOT`.
enum ReadableName {
  case key(Identifier<Key>)
  case slot(Identifier<Slot>)

  init?(_ text: String) {
    if text.hasPrefix("active."), let slot = Identifier<Slot>(text.dropFirst("active.".count)) {
      self = .slot(slot)
    } else if let key = Identifier<Key>(text.hasPrefix("key.") ? String(text.dropFirst("key.".count)) : text) {
      self = .key(key)
    } else {
      return nil
    }
  }

  /// The key that it names, or the active key of the slot; nil if the slot has none.
  func key(in recorded: Recorded) -> Identifier<Key>? {
    switch self {
    case .key(let key): key
    case .slot(let slot): recorded.slots[slot]?.key
    }
  }
}
