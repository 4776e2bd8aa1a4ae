/// The manifest as meant: complete, consistent and defaulted. Every name it uses is declared in it.
package struct Manifest: Sendable {
  /// The environment it was read for; nil for the one without a name.
  package let environment: String?
  /// The store's recipients; nil if the manifest leaves them as recorded.
  package let recipients: [Identifier<Recipient>: Recipient]?
  /// The recipients of which only a key management service opens the identity.
  package let sealedRecipients: Set<Identifier<Recipient>>
  /// The providers that keys name, catalog and manifest together, by name.
  package let providers: [String: Provider]
  /// The keys.
  package let keys: [Identifier<Key>: Key]
  /// The same keys in the order of the manifest, for loops over all of them: in this order they are adjacent in memory, and so usually are
  /// the lines of a file that their sources name.
  package let keysAsDeclared: [(id: Identifier<Key>, key: Key)]
  /// The composed keys, each after those that it is made of.
  package let composed: CompositionOrder
  /// The slots, from the section `active`.
  package let slots: [Identifier<Slot>: Slot]
  /// The targets.
  package let targets: [Identifier<Target>: Target]
  /// The programs that are run after something was written to a target, or withdrawn from it.
  package let hooks: [Identifier<Target>: Reference]
  /// The calendar accounts.
  package let accounts: [Identifier<Account>: Account]
  /// The connections: declared ones, and those that are used by a backend's own name.
  package internal(set) var connections: [Identifier<Connection>: Connection]
  /// The migrations, each of which is carried out once and remembered.
  package let migrations: [Migration]
  /// The rules for keys.
  package let rules: [Rule]
  /// The time within which a value must be replaced after a recipient who could read it is removed.
  package let exposedFor: Interval
  /// The interval after which `drift` checks the keys at their providers again; nil for only on request.
  package let verifiedEvery: Interval?
  /// Everything declared that this version cannot carry out yet, each a diagnostic that blocks only its own address.
  package let unsupported: [Unsupported]

  /// Something declared that this version reads and validates, and cannot carry out.
  package struct Unsupported: Sendable {
    /// The address of the unsupported declaration.
    package let address: Address
    /// The name of the feature: `keychain sources`, `passphrases`.
    package let what: String
    /// The location of the declaration.
    package let place: FileLocation?

    package init(_ address: Address, _ what: String, place: FileLocation?) {
      self.address = address
      self.what = what
      self.place = place
    }
  }

  /// Trusts its arguments: the manifest's reader has checked them.
  /// - Parameters:
  ///   - keysAsDeclared: the keys once more; nil for any order.
  ///   - composed: nil for those of the keys.
  ///   - hooks: nil for those of the targets.
  ///   - exposedFor: nil for the default.
  package init(
    environment: String? = nil, recipients: [Identifier<Recipient>: Recipient]? = nil,
    sealedRecipients: Set<Identifier<Recipient>> = [],
    providers: [String: Provider] = [:], keys: [Identifier<Key>: Key] = [:],
    keysAsDeclared: [(id: Identifier<Key>, key: Key)]? = nil, composed: CompositionOrder? = nil,
    slots: [Identifier<Slot>: Slot] = [:], targets: [Identifier<Target>: Target] = [:],
    hooks: [Identifier<Target>: Reference]? = nil, accounts: [Identifier<Account>: Account] = [:],
    connections: [Identifier<Connection>: Connection] = [:],
    migrations: [Migration] = [], rules: [Rule] = [], exposedFor: Interval? = nil, verifiedEvery: Interval? = nil,
    unsupported: [Unsupported] = []
  ) {
    self.exposedFor = exposedFor ?? Exposure.patience
    self.verifiedEvery = verifiedEvery
    self.environment = environment
    self.recipients = recipients
    self.sealedRecipients = sealedRecipients
    self.providers = providers
    self.keys = keys
    self.keysAsDeclared = keysAsDeclared ?? keys.map { ($0, $1) }
    self.composed = composed ?? CompositionOrder(keys.compactMapValues(\.composition))
    self.slots = slots
    self.targets = targets
    self.hooks = hooks ?? targets.compactMapValues(\.hook)
    self.accounts = accounts
    self.connections = connections
    self.migrations = migrations
    self.rules = rules
    self.unsupported = unsupported
  }
}
