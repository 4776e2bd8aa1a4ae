/// A source of values: a store, a service, a provisioned file. The reader caches, repeats and spaces its requests, so that
/// a source does none of that.
public protocol KeySource: Sendable {
  /// Distinguishes this source from all others on the machine, with its container, environment or path: cached values of one are
  /// never served for another. Without secrets.
  var identity: String { get }

  /// The ages of single keys, where the source knows them. Those in the reader's options take precedence.
  var ages: [APIKeyName: CacheAges] { get }

  /// Asks for the current value.
  /// - Parameter known: the version that is cached, for a conditional request.
  func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer

  /// Reports changes as soon as they are known, until the task is cancelled, for sources that can. A source that cannot
  /// returns at once, and is asked again when its values are no longer fresh.
  /// - Parameter changed: to be called with the items that may have changed; nil for any.
  func watch(_ changed: @escaping @Sendable ([ReadItem]?) -> Void) async
}

extension KeySource {
  /// None.
  public var ages: [APIKeyName: CacheAges] { [:] }

  /// Returns at once.
  public func watch(_ changed: @escaping @Sendable ([ReadItem]?) -> Void) async {}
}
