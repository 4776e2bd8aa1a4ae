internal import KeyplanClocks

/// The memory of a reader. Guarded by one lock, under which nothing waits.
struct ReaderTable {
  /// Of one item.
  final class Slot {
    var value: CachedValue?
    var ages: CacheAges
    /// The reason that it has none, or has not been confirmed, and the wait before a source is asked again.
    var refusal: (error: KeyError, wait: Wait)?
    /// By the source's identity.
    var waits: [String: Wait] = [:]
    /// The time of the last report of a change, since the machine's start: an earlier value has to be confirmed.
    var doubtfulBefore = Int64.min
    var flight: Flight?
    /// The time of the request to which a source answered that there is none.
    var removed: TimeStamp?
    /// The time of the last read from the disk, since the machine's start.
    var lookedAt = Int64.min
    /// Before this moment (since the machine's start) no refresh is begun ahead of time.
    var noRefreshBefore = Int64.min

    init(_ ages: CacheAges) { self.ages = ages }

    /// The value, unless it is doubtful.
    var trusted: CachedValue? {
      guard let value, value.born.sinceStart > doubtfulBefore else { return nil }
      return value
    }
  }

  var slots: [ReadItem: Slot] = [:]
  var subscriptions: [Int: WeakSubscription] = [:]
  var nextSubscription = 0
  var isWatching = false
  var tasks: [Task<Void, Never>] = []

  mutating func slot(_ item: ReadItem, _ options: ReaderOptions) -> Slot {
    if let slot = slots[item] { return slot }
    var ages = options.standardAges
    if case .key(let name) = item, let own = options.ages[name] { ages = own }
    let slot = Slot(ages)
    slots[item] = slot
    return slot
  }
}

struct WeakSubscription {
  weak var subscription: Subscription?
}
