#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The cache and the time limits of a reader.
public struct ReaderOptions: Sendable {
  /// A place for the cache.
  public enum Cache: Hashable, Sendable {
    /// Nowhere. Other processes fetch for themselves.
    case memory
    /// Sealed in a directory that only this user can open.
    case directory(String)
    /// Sealed in `keyplan/reader` below `$XDG_CACHE_HOME` or `~/.cache`.
    case standard
  }

  /// The place where values are kept in addition to memory.
  public var cache: Cache = .standard
  /// The ages of items that `ages` does not name.
  public var standardAges = CacheAges.standard
  /// The ages of single keys.
  public var ages: [APIKeyName: CacheAges] = [:]
  /// The maximum time for a source's answer.
  public var timeout: Duration = .seconds(30)
  /// Called with problems that are not thrown. From any thread, and it must not block.
  public var report: @Sendable (ReaderNotice) -> Void = { _ in }
  package var clock = ReaderClock.system

  /// A sealed cache in the usual place, and the standard ages.
  public init() {}

  /// Nil if values are kept in memory only.
  var cacheDirectory: String? {
    switch cache {
    case .memory: nil
    case .directory(let path): path
    case .standard:
      (Self.variable("XDG_CACHE_HOME") ?? Self.variable("HOME").map { "\($0)/.cache" }).map { "\($0)/keyplan/reader" }
    }
  }

  /// Nil unless it is an absolute path.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
