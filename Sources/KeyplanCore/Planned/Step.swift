/// One effect on the outside or on the store, as data: it can be saved, reviewed, compared and carried out.
public struct Step: Hashable, Sendable, Codable {
  /// What it is about.
  public let address: Address
  /// What is done.
  public let effect: Effect
  /// Why.
  public let cause: Cause
  /// What it was planned against.
  public let ground: Precondition
  /// The addresses whose steps must have succeeded before; those without a step are not waited for.
  public let after: [Address]

  package init(
    _ effect: Effect, at address: Address, because cause: Cause, on ground: Precondition = Precondition(),
    after: [Address] = []
  ) {
    self.address = address
    self.effect = effect
    self.cause = cause
    self.ground = ground
    self.after = after
  }
}

/// What a step does.
public enum Effect: Hashable, Sendable, Codable {
  /// Lets the manifest touch something outside its folder, under these terms.
  case allow(AccessGrant)
  /// Ends that, for something that the manifest no longer has.
  case disallow
  /// Writes the store's records anew in the current format.
  case upgrade(StoreUpgrade)
  /// Records what the manifest demands of its keys, and what it gives leave for.
  case guards(GuardsChange)
  /// Wraps the root key for other recipients; with a fresh root key when somebody leaves.
  case rewrap(Rewrap)
  /// Gives a record another name, with its whole history; what names it follows.
  case move(from: Identifier<Key>)
  /// Records a key without a source for the first time, with the value at this reference.
  case adopt(KeyWrite, from: String)
  /// Takes what a key or an account has adopted away from where it was.
  case remove(Migration.Successor, from: String)
  /// Records a key for the first time.
  case store(KeyWrite)
  /// Gives a recorded key a new version.
  case replace(KeyWrite)
  /// Changes what is recorded beside the value.
  case update(KeyWrite)
  /// Makes a key the active one of a slot; `was` is the one before.
  case activate(Identifier<Key>, was: Identifier<Key>?)
  /// Ends a slot.
  case deactivate(was: Identifier<Key>)
  /// Writes values to a target.
  case sync(TargetWrite)
  /// Takes values away from a target.
  case withdraw(TargetRemoval)
  /// Closes an interrupted step that has nothing left to do.
  case settle
  /// Ends a key's use and keeps its record.
  case retire
  /// Ends a record; a key's can be restored for 30 days. By hand it may be a slot's, a target's or that of one of its names.
  case forget
  /// Makes an earlier version of a key's value the current one.
  case rollback(KeyRollback)
  /// Brings a forgotten key's record back, with its history.
  case restore(KeyRestoration)
  /// Takes the value that a target holds as the key's new one; the target is only read.
  case accept(KeyAcceptance)
  /// Has a person sign in to a calendar account. An apply never does it; who signed in brings the tokens.
  case authorize(AccountNeed)
  /// Imports the refresh token at this reference.
  case adoptToken(from: String, AccountFacts)
  /// Gets an account's next access token.
  case refresh(AccountRefresh)
  /// Records which of an account's calendars is used.
  case select(AccountSelection)
  /// Ends an account's record, tokens included.
  case signOut(AccountSignOut)
}

extension Effect {
  /// Whether it only keeps up what is there: such steps come and go with the hour and mean no change.
  public var isUpkeep: Bool { if case .refresh = self { true } else { false } }
}

/// Who joins and who leaves.
public struct Rewrap: Hashable, Sendable, Codable {
  /// Everybody afterwards.
  public let recipients: [Recipient]
  /// The names that join, sorted.
  public let added: [String]
  /// The names that leave, sorted; not empty means a fresh root key.
  public let removed: [String]

  /// A recipient with its name.
  public struct Recipient: Hashable, Sendable, Codable {
    /// The name in the manifest.
    public let name: Identifier<KeyplanCore.Recipient>
    /// The public key and the role.
    public let value: KeyplanCore.Recipient

    package init(name: Identifier<KeyplanCore.Recipient>, value: KeyplanCore.Recipient) {
      self.name = name
      self.value = value
    }
  }

  package init(recipients: [Recipient], added: [String], removed: [String]) {
    self.recipients = recipients
    self.added = added
    self.removed = removed
  }
}

/// What is to be recorded of a key, and where its value comes from.
public struct KeyWrite: Hashable, Sendable, Codable {
  /// What is recorded beside it.
  public let facts: KeyFacts
  /// The index of the source that has the value; nil when a person gives it, or when it stays whatever it was.
  public let source: Int?
  /// Whether the first source that has a value is found at apply only.
  public let isDeferred: Bool

  package init(facts: KeyFacts, source: Int?, isDeferred: Bool = false) {
    self.facts = facts
    self.source = source
    self.isDeferred = isDeferred
  }

  private enum CodingKeys: String, CodingKey { case facts, source, isDeferred = "deferred" }

  /// Reads what `encode` writes.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    facts = try fields.decode(KeyFacts.self, forKey: .facts)
    source = try fields.decodeIfPresent(Int.self, forKey: .source)
    isDeferred = try fields.decodeIfPresent(Bool.self, forKey: .isDeferred) ?? false
  }

  /// Leaves `deferred` out where it is false.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(facts, forKey: .facts)
    try fields.encodeIfPresent(source, forKey: .source)
    if isDeferred { try fields.encode(true, forKey: .isDeferred) }
  }

  /// The canonical text of that source.
  public var origin: String? { source.flatMap { facts.source(at: $0) } }
}

/// Values to be written to one target.
public struct TargetWrite: Hashable, Sendable, Codable {
  /// Where.
  public let destination: Destination
  /// What, sorted by name.
  public let entries: [Entry]
  /// How many names the target has when all is done.
  public let total: Int
  /// The mode that the file gets; nil where it keeps its own, and for a new file of mode 0600.
  public let mode: ModeChange?

  /// When what is written is in use; nil for at once.
  public let takesEffect: TakesEffect?

  /// What becomes of a file's mode.
  public struct ModeChange: Hashable, Sendable, Codable {
    /// Nil for a file that is made, or was not looked at.
    public let was: FileMode?
    /// As the manifest declares it.
    public let mode: FileMode

    package init(was: FileMode?, to mode: FileMode) {
      self.was = was
      self.mode = mode
    }

    /// Whether others get access that they did not have.
    public var isLoosening: Bool { mode.isOpen(beyond: was) }
  }

  /// One value.
  public struct Entry: Hashable, Sendable, Codable {
    /// The name at the target.
    public let name: String
    /// The key whose value is written.
    public let key: Identifier<Key>
    /// Why.
    public let reason: Reason

    package init(name: String, key: Identifier<Key>, reason: Reason) {
      self.name = name
      self.key = key
      self.reason = reason
    }
  }

  /// Why a value is written.
  public enum Reason: String, Sendable, Codable, CaseIterable {
    /// The name is not there yet.
    case new
    /// The value is already there; it is only recorded.
    case alreadyThere
    /// Somebody else's value is overwritten, with leave.
    case takeOver
    /// The key has a new value, or another key feeds the name.
    case keyChanged
    /// Somebody changed it at the target.
    case changedThere
    /// Somebody removed it at the target.
    case missingThere
    /// What the target holds cannot be read.
    case notReadable
    /// Something is there and was not compared; the apply takes it over only where that is allowed.
    case notCompared
  }

  package init(
    destination: Destination, entries: [Entry], total: Int, mode: ModeChange? = nil, takesEffect: TakesEffect? = nil
  ) {
    self.destination = destination
    self.entries = entries
    self.total = total
    self.mode = mode
    self.takesEffect = takesEffect == .now ? nil : takesEffect
  }
}

/// Names to be taken away from one target.
public struct TargetRemoval: Hashable, Sendable, Codable {
  /// Where.
  public let destination: Destination
  /// The names that are removed, sorted.
  public let names: [String]
  /// The names that only leave the record, because they are gone already or hold somebody else's value, sorted.
  public let released: [String]
  /// Whether the target moves elsewhere; the old place is then cleared before the new one is written, so that the record
  /// always says where values are.
  public let isMove: Bool

  package init(destination: Destination, names: [String], released: [String], isMove: Bool = false) {
    self.destination = destination
    self.names = names
    self.released = released
    self.isMove = isMove
  }
}

/// Why a step is planned. A pending change of the manifest is never drift, and drift is never a change.
public enum Cause: String, Sendable, Codable, CaseIterable {
  /// The manifest says so now.
  case manifest
  /// A source gives another value.
  case sourceChanged
  /// What was written was changed outside of keyplan.
  case drift
  /// A key expired.
  case expiry
  /// A step that this one belongs to needs it.
  case follows
  /// An earlier run was interrupted here.
  case interrupted
  /// A migration is carried out.
  case migration
  /// A person gave a value.
  case byHand
  /// This version of keyplan needs it.
  case program
}

/// What a step was planned against. It is read again just before the step; if it has moved, the step is stale.
public struct Precondition: Hashable, Sendable, Codable {
  /// The record's revision; nil where there was no record.
  public var revision: Int64?
  /// What the source gave; nil where that is known at apply only.
  public var source: Fingerprint?
  /// The digest of the source's file, where the content was not compared.
  public var content: String?
  /// What the target held under each name that the step touches; a name that is not in it was not there.
  public var target: [String: Fingerprint]?
  /// The mark that the target showed under each name, where its values cannot be read; empty where there was none.
  public var marks: [String: String]?

  /// Nothing but what is given.
  public init(
    revision: Int64? = nil, source: Fingerprint? = nil, content: String? = nil, target: [String: Fingerprint]? = nil,
    marks: [String: String]? = nil
  ) {
    self.marks = marks
    self.revision = revision
    self.source = source
    self.content = content
    self.target = target
  }
}
