/// A problem that a reader does not throw, because values are served all the same. Contains no values.
public enum ReaderNotice: Sendable, Hashable, CustomStringConvertible {
  /// There is no cache on the disk: values are kept in memory only.
  case noCache(String)
  /// An entry could not be opened, and is fetched again.
  case cacheDropped(ReadItem, String)
  /// The cache could not be written, for example because the disk is full.
  case cacheNotWritten(ReadItem, String)
  /// A source did not answer. The value is served from the cache as long as it may be.
  case unreachable(ReadItem, String)

  /// In one sentence.
  public var description: String {
    switch self {
    case .noCache(let why): "There is no cache on the disk: \(why)"
    case .cacheDropped(let item, let why): "The cached \(item) was dropped: \(why)"
    case .cacheNotWritten(let item, let why): "\(item) was not cached on the disk: \(why)"
    case .unreachable(let item, let why): "\(item): \(why)"
    }
  }
}
