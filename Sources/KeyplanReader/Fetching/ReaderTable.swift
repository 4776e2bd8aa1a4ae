internal import KeyplanClocks

/// What a reader has in memory. Guarded by one lock, under which nothing waits.
struct ReaderTable {
  /// Of one item.
  final class Slot {
    var value: CachedValue?
    var ages: CacheAges
    /// Why it has none, or has not been confirmed, and until when nobody is asked again.
    var refusal: (error: KeyError, wait: Wait)?
    /// By the source's identity.
    var waits: [String: Wait] = [:]
    /// When somebody said last that it changed, since the machine's start: a value from before has to be confirmed.
    var doubtfulBefore = Int64.min
    var flight: Flight?
    /// When a source was asked that said that there is none.
    var removed: TimeStamp?
    /// When the disk was looked at last, since the machine's start.
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
