/// An item that can be read.
public enum ReadItem: Hashable, Sendable, CustomStringConvertible {
  case key(APIKeyName)
  /// The key that is active in a slot.
  case active(SlotName)
  /// The access token of an account.
  case accessToken(AccountName)

  /// The address, as the program `keyplan` writes it: `key.NAME`, `active.SLOT` or `calendar.ACCOUNT`.
  public var description: String {
    switch self {
    case .key(let name): "key.\(name)"
    case .active(let name): "active.\(name)"
    case .accessToken(let name): "calendar.\(name)"
    }
  }
}
