import KeyplanModel
import KeyplanPlanning

/// Validates a raw manifest and converts it to the final form.
struct ManifestValidator {
  let reader: ManifestReader
  let raw: RawManifest
  let environment: String?
  var notes: DiagnosticSink
  var providers: [String: Provider] = [:]
  var keys: [Identifier<Key>: Key] = [:]
  var keysAsDeclared: [(id: Identifier<Key>, key: Key)] = []
  /// The keys whose values are made of those of others, in the order of the manifest.
  var composing: [ComposedDeclaration] = []
  /// Nil if there are none.
  var composed: CompositionOrder?
  var slots: [Identifier<Slot>: Slot] = [:]
  var targets: [Identifier<Target>: Target] = [:]
  var accounts: [Identifier<Account>: Account] = [:]
  var migrations: [Migration] = []
  var targetFiles: [ManifestReader.TargetFile] = []
  /// The number of the migration for each adopting key or account, and for each original to be removed.
  var adopted: [Migration.Successor: Int] = [:]
  var removed: [Reference: Int] = [:]
  var unsupported: [Manifest.Unsupported] = []
  var fedBySlot: [Identifier<Slot>: TargetFeed] = [:]
  let declaredProviders: Set<String>
  let declaredCalendars: Set<String>
  /// Slots whose list of keys could not be read.
  let unreadableSlots: Set<String>
  /// The recipients that can open the values of keys: those that the key names, or a slot that it is in.
  var readers: [Identifier<Key>: [Identifier<Recipient>]] = [:]
  /// The parts of keys that have several.
  var partsOfKeys: [Identifier<Key>: [Identifier<Key>]] = [:]
  /// The terms that targets add to the permissions of their connections.
  var accessTerms: [Identifier<Connection>: Set<String>] = [:]

  init(reader: ManifestReader, raw: RawManifest, environment: String?, notes: DiagnosticSink) {
    self.reader = reader
    self.raw = raw
    self.environment = environment
    self.notes = notes
    declaredProviders = Set(raw.providers.map(\.name.name))
    declaredCalendars = Set(raw.calendars.map(\.name.name))
    unreadableSlots = Set(raw.slots.lazy.filter { $0.value == nil }.map(\.name.name))
  }

  /// Complete only if the diagnostics contain no error.
  mutating func manifest() -> Manifest {
    connections()
    bareProviders()
    let recipients = recipients()
    let sealed = Set((raw.recipients ?? []).filter(\.value.isSealed).map(\.name))
    readReaders(among: recipients)
    readKeys()
    readComposed()
    for provider in raw.providers where providers[provider.name.name] == nil {
      _ = check(of: provider.name.name, provider.value)
    }
    readSlots()
    readTargets()
    readAccounts()
    readMigrations()
    let rules = rules()
    return Manifest(
      environment: environment, recipients: recipients, sealedRecipients: sealed, providers: providers, keys: keys,
      keysAsDeclared: keysAsDeclared, composed: composed ?? CompositionOrder([:]), slots: slots, targets: targets,
      accounts: accounts,
      connections: Dictionary(
        uniqueKeysWithValues: raw.usable.map { name, connection in
          (name, connection.requiring(accessTerms[name] ?? []))
        }),
      migrations: migrations, rules: rules, exposedFor: raw.exposedFor, verifiedEvery: raw.verifiedEvery,
      unsupported: unsupported.sorted { ($0.address, $0.what) < ($1.address, $1.what) })
  }

  var files: ManifestReader.NamedFiles { .init(targets: targetFiles, keys: keysAsDeclared) }

  private mutating func connections() {
    for connection in raw.connections
    where reader.backends.isName(connection.name.name) || Rule.ownKinds.contains(connection.name.name) {
      let what = reader.backends.source(connection.name.name) == nil ? "name" : "scheme"
      notes.report(
        .conflict, "\"\(connection.name)\" is a built-in \(what) and cannot be the name of a connection.",
        hint: "Choose another name, and use it in references and targets.", at: connection.place)
    }
  }

  /// The backend of a scheme, which can be a connection's name.
  func backend(of scheme: String) -> BackendDescription? {
    reader.backends.source(scheme) ?? raw.connections.first { $0.name.name == scheme }?.value.backend
  }

  private mutating func bareProviders() {
    for provider in raw.providers where provider.value.isBare && reader.catalog.provider(provider.name.name) == nil {
      notes.report(
        .questionable,
        "\(ManifestMessages.quoted(provider.name.name, or: "This")) is not a built-in provider and has no fields.",
        hint: ManifestMessages.didYouMean(notes.nearest(to: provider.name.name, among: reader.catalog.names))
          ?? "Add at least a variable.", at: provider.place)
    }
  }

  private mutating func recipients() -> [Identifier<Recipient>: Recipient]? {
    guard let written = raw.recipients else { return nil }
    notes.subject = .recipients
    defer { notes.subject = nil }
    var recipients: [Identifier<Recipient>: Recipient] = [:]
    var names: [String: Identifier<Recipient>] = [:]
    for recipient in written {
      switch recipient.value {
      case .unreadable: break
      case .passphrase: unsupported.append(.init(.recipients, "passphrases", place: recipient.place))
      case .key(let key, let role, _):
        if let other = names.updateValue(recipient.name, forKey: key) {
          notes.report(.conflict, "\"\(recipient.name)\" is the same recipient as \"\(other)\".", at: recipient.place)
        }
        recipients[recipient.name] = Recipient(publicKey: key, role: role)
      }
    }
    if written.isEmpty {
      notes.report(
        .invalidValue, "The list of recipients is empty: nobody could open the store.",
        hint: "Add a recipient, or leave out \"recipients\" to keep the recorded ones.", at: raw.recipientsPlace)
    }
    return recipients
  }

  /// - Parameter hint: used if no name is similar.
  mutating func undeclared(
    _ what: String, _ name: Located<String>, hint: String? = nil, among names: (Self) -> [String]
  ) {
    if !ManifestMessages.isHarmless(name.value) { notes.conceal(name.place) }
    let nearest = notes.nearest(to: name.value, among: notes.suggests ? names(self) : [])
    notes.report(
      .undeclaredName, "Unknown \(what) \(ManifestMessages.quoted(name.value, or: "with this name")).",
      hint: ManifestMessages.didYouMean(nearest) ?? hint, at: name.place)
  }
}
