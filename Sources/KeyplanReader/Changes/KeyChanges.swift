/// The changes of some items, from the moment at which the sequence was made. While it exists, the items are kept fresh.
///
/// Changes of one item between two calls of `next()` are one change. It never ends by itself.
public struct KeyChanges: AsyncSequence, Sendable {
  /// A change of an item, without its value.
  public typealias Element = KeyChange

  let subscription: Subscription

  /// All iterators of a sequence take from the same changes: iterate in one task.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription

    /// Nil once the calling task is cancelled.
    public mutating func next() async -> KeyChange? { await subscription.next() }
  }
}
