/// Effects as JSON objects with an `action` and its particulars, so that a saved plan reads as what it does.
extension Effect {
  private enum Field: String, CodingKey {
    case action, from, key, was, write, target, removal, recipients, rollback, restoration, acceptance
    case need, refresh, selection, signOut, account, calendar, grant, upgrade, guards
  }

  /// The action's name in plan files and events.
  public var action: String {
    switch self {
    case .allow: "allow"
    case .disallow: "disallow"
    case .upgrade: "upgrade"
    case .guards: "guard"
    case .rewrap: "rewrap"
    case .move: "move"
    case .adopt: "adopt"
    case .remove: "remove"
    case .store: "store"
    case .replace: "replace"
    case .update: "update"
    case .activate: "activate"
    case .deactivate: "deactivate"
    case .sync: "sync"
    case .withdraw: "withdraw"
    case .settle: "settle"
    case .retire: "retire"
    case .forget: "forget"
    case .rollback: "rollback"
    case .restore: "restore"
    case .accept: "accept"
    case .authorize: "authorize"
    case .adoptToken: "adoptToken"
    case .refresh: "refresh"
    case .select: "select"
    case .signOut: "signOut"
    }
  }

  /// What a step records of a key; nil for other steps.
  public var write: KeyWrite? {
    switch self {
    case .store(let write), .replace(let write), .update(let write), .adopt(let write, _): write
    default: nil
    }
  }

  /// Writes `action` and its particulars.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(action, forKey: .action)
    switch self {
    case .disallow, .settle, .retire, .forget: break
    case .allow(let grant): try fields.encode(grant, forKey: .grant)
    case .upgrade(let upgrade): try fields.encode(upgrade, forKey: .upgrade)
    case .guards(let change): try fields.encode(change, forKey: .guards)
    case .rewrap(let rewrap): try fields.encode(rewrap, forKey: .recipients)
    case .move(let from): try fields.encode(from, forKey: .from)
    case .adopt(let write, let from):
      try fields.encode(write, forKey: .write)
      try fields.encode(from, forKey: .from)
    case .remove(let successor, let from):
      switch successor {
      case .key(let id): try fields.encode(id, forKey: .key)
      case .account(let id): try fields.encode(id, forKey: .calendar)
      }
      try fields.encode(from, forKey: .from)
    case .store(let write), .replace(let write), .update(let write): try fields.encode(write, forKey: .write)
    case .activate(let key, let was):
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(was, forKey: .was)
    case .deactivate(let was): try fields.encode(was, forKey: .was)
    case .sync(let write): try fields.encode(write, forKey: .target)
    case .withdraw(let removal): try fields.encode(removal, forKey: .removal)
    case .rollback(let rollback): try fields.encode(rollback, forKey: .rollback)
    case .restore(let restoration): try fields.encode(restoration, forKey: .restoration)
    case .accept(let acceptance): try fields.encode(acceptance, forKey: .acceptance)
    case .authorize(let need): try fields.encode(need, forKey: .need)
    case .adoptToken(let from, let facts):
      try fields.encode(from, forKey: .from)
      try fields.encode(facts, forKey: .account)
    case .refresh(let refresh): try fields.encode(refresh, forKey: .refresh)
    case .select(let selection): try fields.encode(selection, forKey: .selection)
    case .signOut(let signOut): try fields.encode(signOut, forKey: .signOut)
    }
  }

  /// Reads what `encode` writes.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    switch try fields.decode(String.self, forKey: .action) {
    case "allow": self = .allow(try fields.decode(AccessGrant.self, forKey: .grant))
    case "disallow": self = .disallow
    case "settle": self = .settle
    case "retire": self = .retire
    case "forget": self = .forget
    case "upgrade": self = .upgrade(try fields.decode(StoreUpgrade.self, forKey: .upgrade))
    case "guard": self = .guards(try fields.decode(GuardsChange.self, forKey: .guards))
    case "rewrap": self = .rewrap(try fields.decode(Rewrap.self, forKey: .recipients))
    case "move": self = .move(from: try fields.decode(Identifier<Key>.self, forKey: .from))
    case "adopt":
      self = .adopt(
        try fields.decode(KeyWrite.self, forKey: .write), from: try fields.decode(String.self, forKey: .from))
    case "remove":
      let account = try fields.decodeIfPresent(Identifier<Account>.self, forKey: .calendar)
      self = .remove(
        try account.map { .account($0) } ?? .key(try fields.decode(Identifier<Key>.self, forKey: .key)),
        from: try fields.decode(String.self, forKey: .from))
    case "store": self = .store(try fields.decode(KeyWrite.self, forKey: .write))
    case "replace": self = .replace(try fields.decode(KeyWrite.self, forKey: .write))
    case "update": self = .update(try fields.decode(KeyWrite.self, forKey: .write))
    case "activate":
      self = .activate(
        try fields.decode(Identifier<Key>.self, forKey: .key),
        was: try fields.decodeIfPresent(Identifier<Key>.self, forKey: .was))
    case "deactivate": self = .deactivate(was: try fields.decode(Identifier<Key>.self, forKey: .was))
    case "sync": self = .sync(try fields.decode(TargetWrite.self, forKey: .target))
    case "withdraw": self = .withdraw(try fields.decode(TargetRemoval.self, forKey: .removal))
    case "rollback": self = .rollback(try fields.decode(KeyRollback.self, forKey: .rollback))
    case "restore": self = .restore(try fields.decode(KeyRestoration.self, forKey: .restoration))
    case "accept": self = .accept(try fields.decode(KeyAcceptance.self, forKey: .acceptance))
    case "authorize": self = .authorize(try fields.decode(AccountNeed.self, forKey: .need))
    case "adoptToken":
      self = .adoptToken(
        from: try fields.decode(String.self, forKey: .from), try fields.decode(AccountFacts.self, forKey: .account))
    case "refresh": self = .refresh(try fields.decode(AccountRefresh.self, forKey: .refresh))
    case "select": self = .select(try fields.decode(AccountSelection.self, forKey: .selection))
    case "signOut": self = .signOut(try fields.decode(AccountSignOut.self, forKey: .signOut))
    default:
      throw DecodingError.dataCorruptedError(forKey: .action, in: fields, debugDescription: "This action is not known.")
    }
  }
}
