// Re-exported for `SecretBox`, so that programs import one module.
@_exported public import KeyplanSecrets
internal import Synchronization

/// Reads keys in a running program: from memory while they are fresh, otherwise from their sources, and only while those cannot
/// be reached from the cache, for as long as the hard age allows.
///
/// ```swift
/// let reader = KeyReader(try StoreKeys())
/// let key = try await reader.key(.openWeatherMap)
/// ```
///
/// A reader is made once and shared by all tasks. However many tasks and processes of a user ask for one key at a time, its
/// source is asked once.
public final class KeyReader: Sendable {
  let engine: ReaderEngine

  /// - Parameter sources: asked in this order: the next one if one does not have a key, or cannot be reached.
  public init(_ sources: any KeySource..., options: ReaderOptions = ReaderOptions()) {
    engine = ReaderEngine(sources, options)
  }

  /// The same for sources in an array.
  public init(sources: [any KeySource], options: ReaderOptions = ReaderOptions()) {
    engine = ReaderEngine(sources, options)
  }

  /// Whether nothing is being fetched.
  package var isIdle: Bool { engine.table.withLock { table in table.slots.values.allSatisfy { $0.flight == nil } } }

  /// The version in memory; nil if there is none.
  package func held(_ item: ReadItem) -> String? { engine.table.withLock { $0.slots[item]?.value?.version } }

  deinit {
    for task in engine.table.withLock({ $0.tasks }) { task.cancel() }
  }

  // MARK: Reading

  /// A key's value.
  /// - Parameters:
  ///   - maximumAge: the maximum time since its source gave or confirmed it; nil for the soft age of the key. Zero for a request
  ///     in any case.
  ///   - allowStale: whether an older value is good enough while its source cannot be reached.
  /// - Throws: `KeyError`.
  public nonisolated(nonsending) func key(
    _ name: APIKeyName, maximumAge: Duration? = nil, allowStale: Bool = true
  ) async throws(KeyError) -> APIKey {
    try await value(.key(name), maximumAge, allowStale)
  }

  /// The value of the key that is active in a slot.
  public nonisolated(nonsending) func active(
    _ slot: SlotName, maximumAge: Duration? = nil, allowStale: Bool = true
  ) async throws(KeyError) -> APIKey {
    try await value(.active(slot), maximumAge, allowStale)
  }

  /// The access token of a calendar account.
  public nonisolated(nonsending) func accessToken(
    _ account: AccountName, maximumAge: Duration? = nil, allowStale: Bool = true
  ) async throws(KeyError) -> APIKey {
    try await value(.accessToken(account), maximumAge, allowStale)
  }

  private nonisolated(nonsending) func value(
    _ item: ReadItem, _ maximumAge: Duration?, _ allowStale: Bool
  ) async throws(KeyError) -> APIKey {
    if let value = engine.hit(item, maximumAge) { return APIKey(entry: value, item: item, freshness: .fresh) }
    return try await engine.value(item, maximumAge, allowStale: allowStale)
  }

  /// Asks the source now, for example because a push notification says that the key changed. The pause after an outage is kept.
  @discardableResult
  public nonisolated(nonsending) func refresh(_ item: ReadItem) async throws(KeyError) -> APIKey {
    try await engine.value(item, .zero, allowStale: false, anew: true)
  }

  // MARK: Changes

  /// The changes of these items from now on. An item that is not in memory yet is read first, which is not a change.
  /// - Parameter known: the values that the program uses already: a value that differs from its known one is a change.
  public func changes(of items: ReadItem..., since known: [APIKey] = []) -> KeyChanges {
    changes(of: items, since: known)
  }

  /// The same for items in an array.
  public func changes(of items: [ReadItem], since known: [APIKey] = []) -> KeyChanges {
    KeyChanges(subscription: engine.subscribe(to: Set(items), since: known))
  }

  // MARK: Child processes

  /// The values of these items as variables for a child process, by the names that the sources give, otherwise the item's name in
  /// capitals.
  public func environment(_ items: [ReadItem]) async throws(KeyError) -> KeyEnvironment {
    var values: [String: SecretBox] = [:]
    for item in items {
      let key = try await value(item, nil, true)
      values[key.entry.content.variable ?? KeyEnvironment.variable(for: key.name)] = key.value
    }
    return KeyEnvironment(values: values)
  }
}
