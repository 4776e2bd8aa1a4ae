internal import KeyplanClocks
internal import Synchronization

extension ReaderEngine {
  /// A new subscription, whose items are refreshed as long as it exists.
  func subscribe(to items: Set<ReadItem>, since known: [APIKey]) -> Subscription {
    let (subscription, watches) = table.withLock { table in
      var seen: [ReadItem: String] = [:]
      for item in items { seen[item] = table.slots[item]?.value?.version }
      for key in known where items.contains(key.item) { seen[key.item] = key.version }
      let subscription = Subscription(items, seen: seen)
      table.subscriptions = table.subscriptions.filter { $0.value.subscription != nil }
      table.nextSubscription += 1
      table.subscriptions[table.nextSubscription] = WeakSubscription(subscription: subscription)
      // A value that is already served may differ from the one that the caller knows.
      for item in items {
        if let value = table.slots[item]?.value { subscription.note(item, value, nil) }
      }
      defer { table.isWatching = true }
      return (subscription, !table.isWatching)
    }
    if watches { watch() }
    for item in items { subscription.keep(item, by: Task { await self.poll(item) }) }
    return subscription
  }

  /// Refreshes an item ahead of the end of its soft age, until the task is cancelled.
  private func poll(_ item: ReadItem) async {
    while !Task.isCancelled {
      await clock.sleep(untilRefresh(item))
      guard !Task.isCancelled else { return }
      _ = await flight(of: item, limit: .part(lead(item)), anew: false).outcome()
    }
  }

  private func lead(_ item: ReadItem) -> Double { table.withLock { $0.slots[item]?.value?.lead ?? 1 } }

  /// Zero if there is no value yet.
  private func untilRefresh(_ item: ReadItem) -> Duration {
    let now = clock.now
    return table.withLock { table in
      let slot = table.slot(item, options)
      if let left = slot.refusal?.wait.left(now) { return left }
      guard let value = slot.trusted else { return .zero }
      return max(Self.shortestPoll, slot.ages.fresh * value.lead - value.age(now))
    }
  }

  /// For soft ages near zero.
  private static var shortestPoll: Duration { .milliseconds(500) }

  /// Listens to the sources that report changes.
  private func watch() {
    let tasks = sources.map { source in
      Task { [weak engine = self] in
        await source.watch { [weak engine] items in engine?.doubt(items) }
      }
    }
    table.withLock { $0.tasks += tasks }
  }

  /// Fetches subscribed items again at once; all others when they are read next.
  private func doubt(_ items: [ReadItem]?) {
    let now = clock.sinceStart()
    let (changed, subscriptions) = table.withLock { table in
      let changed = items.map { Set($0) } ?? Set(table.slots.keys)
      for item in changed { table.slots[item]?.doubtfulBefore = now }
      return (changed, table.subscriptions.values.compactMap(\.subscription))
    }
    for subscription in subscriptions {
      for item in subscription.items.intersection(changed) {
        _ = flight(of: item, limit: .age(.zero), anew: true)
        // The fetch may fail, or may have begun before the change: the item is asked for until there is a value from after it.
        subscription.keep(item, by: Task { await self.poll(item) })
      }
    }
  }
}
