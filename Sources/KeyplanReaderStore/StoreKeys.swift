internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPorts
public import KeyplanReader
internal import KeyplanReporting
internal import KeyplanSecrets
internal import KeyplanStore

/// The keys, active keys and access tokens of a keyplan store, in a file or on a PostgreSQL server.
///
/// ```swift
/// let reader = KeyReader(try StoreKeys())
/// ```
///
/// Each request opens the store with the identity of the process, evaluates policies at that moment, and reads a value only if it
/// has changed. Nothing is written, except for the tokens of accounts: an expired one is refreshed.
public struct StoreKeys: KeySource {
  /// The store, and the identity that opens it: as the options of the program `keyplan`.
  public struct Options: Sendable {
    /// The manifest's path; nil for KEYPLAN_MANIFEST, or to look for `keyplan.yaml` in the working directory and above it.
    public var manifest: String?
    /// The environment's name; nil for KEYPLAN_ENVIRONMENT or the one that the manifest chooses.
    public var environment: String?
    /// A path or `postgres://` address; nil for KEYPLAN_STORE or the store that the manifest names.
    public var store: String?
    /// The path of an age identity; nil for KEYPLAN_IDENTITY or the person's own file.
    public var identity: String?
    /// The maximum time to wait for another process that refreshes the same token.
    public var lockTimeout: Duration = .seconds(30)

    /// The project of the working directory.
    public init() {}
  }

  private let settings: Settings
  /// The store's place and the environment.
  public let identity: String
  /// The ages that the manifest declares under `cache` of keys.
  public let ages: [APIKeyName: CacheAges]

  /// Finds the store. It is opened when the first key is read.
  /// - Throws: `KeyError` (`backend`) if there is no manifest, or it names no store.
  public init(_ options: Options = Options()) throws(KeyError) {
    var settings = Settings()
    settings.manifest = options.manifest ?? World.variable("KEYPLAN_MANIFEST")
    settings.environment = options.environment ?? World.variable("KEYPLAN_ENVIRONMENT")
    settings.store = options.store ?? World.variable("KEYPLAN_STORE")
    settings.identity = options.identity
    settings.lockTimeout = options.lockTimeout
    self.settings = settings
    do throws(Failure) {
      let place = try ResolvedStore(in: Self.world(settings))
      let location =
        switch place.location {
        case .file(let path): path
        case .shared: place.shown
        }
      identity = "keyplan store \(location) \(place.environment ?? "")"
      // A manifest with errors sets none: the store is read nevertheless.
      ages =
        try ManifestWords(in: Self.world(settings)).mayContain("cache")
        ? CacheAges.ages(in: (try? Project(in: Self.world(settings)))?.reading.manifest) : [:]
    } catch {
      throw KeyError(.backend, nil, error.detail, hint: error.hint)
    }
  }

  private static func world(_ settings: Settings) -> World {
    World(mask: 0o022, isAttended: false, endsWithOperation: false, settings: settings, console: SilentConsole())
  }

  /// Reads one item; for a known version only its record.
  public func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer {
    let world = Self.world(settings)
    do {
      if case .accessToken(let account) = item { return try await token(of: account, in: world) }
      let found = try await StoreReading.reading(in: world, wanting: .few) { store throws(Failure) in
        try store.current("\(item)", unlessVersion: known).map { Found($0.key, $0.record, $0.serving, $0.value) }
      }
      guard let found else {
        return .refused(.notFound, "The store has no \(item).", hint: "Declare it in the manifest, and apply.")
      }
      return found.answer
    } catch let failure as Failure {
      return Self.answer(failure)
    } catch {
      return .refused(.backend, "The store cannot be read.", hint: nil)
    }
  }

  /// Listens to the announcements of a PostgreSQL server. Of a store in a file there are none.
  public func watch(_ changed: @escaping @Sendable ([ReadItem]?) -> Void) async {
    let place = try? ResolvedStore(in: Self.world(settings))
    guard let listener = place.flatMap({ CommitListener($0.location) { changed(nil) } }) else { return }
    let (never, end) = AsyncStream<Void>.makeStream()
    // Ends when the task is cancelled.
    for await _ in never {}
    withExtendedLifetime((listener, end)) {}
  }

  private func token(of name: AccountName, in world: World) async throws -> KeySourceAnswer {
    let accounts = try await Accounts(in: world)
    guard let id = Identifier<Account>(name.rawValue), accounts.workspace.manifest.accounts[id] != nil else {
      return .refused(.notFound, "The manifest has no calendar account \"\(name)\".", hint: nil)
    }
    let token = try await accounts.token(of: id, timeout: settings.lockTimeout)
    return .value(KeySourceValue(token, name: name.rawValue))
  }

  private static func answer(_ failure: Failure) -> KeySourceAnswer {
    let text = "\(failure.summary): \(failure.detail)"
    switch (failure.storeCode, failure.status) {
    case (.wrongIdentity, _), (.planOnly, _), (.otherRecipients, _), (.tooOpen, _), (_, .personNeeded):
      return .refused(.denied, text, hint: failure.hint)
    // A file that was there may be on a disk that is not mounted now; a cached value can be served meanwhile.
    case (.noStore, _), (_, .unreachable), (_, .locked): return .unreachable(text, retryAfter: nil)
    default: return .refused(.backend, text, hint: failure.hint)
    }
  }
}

/// The store's content for one item.
private struct Found: Sendable {
  private let key: Identifier<Key>
  private let record: KeyRecord
  private let serving: Serving
  private let value: SecretBox?

  init(_ key: Identifier<Key>, _ record: KeyRecord, _ serving: Serving, _ value: SecretBox?) {
    (self.key, self.record, self.serving, self.value) = (key, record, serving, value)
  }

  var answer: KeySourceAnswer {
    switch serving {
    case .revoked(_, _, .some):
      return .refused(.denied, "\"\(key)\" is composed of others, and \(serving.partWords ?? "").", hint: nil)
    case .retired(_, .some):
      return .refused(.expired, "\"\(key)\" is composed of others, and \(serving.partWords ?? "").", hint: nil)
    case .revoked(let since, let reason, nil):
      return .refused(
        .denied, "\"\(key)\" was revoked on \(since.date)\(reason.map { ": \($0)" } ?? ".")", hint: nil)
    case .retired(let since, nil):
      return .refused(.expired, "\"\(key)\" was retired on \(since.date).", hint: nil)
    case .asUsual, .pastItsEnd, .refusedByProvider:
      guard let value else { return .unchanged }
      return .value(
        KeySourceValue(
          value, name: key.name, version: StoreReading.version(of: record, key), provider: record.facts.provider,
          variable: record.facts.variable, expires: end?.seconds))
    }
  }

  /// The time at which it expires according to its policy.
  private var end: Moment? {
    switch record.state(at: record.version.storedAt) {
    case .fresh(let end), .soon(let end), .over(let end): end
    case nil: nil
    }
  }
}
