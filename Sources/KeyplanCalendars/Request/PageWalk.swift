/// Limits the number of pages, so that a service, or an attacker in its place, cannot cause an endless loop.
struct PageWalk {
  /// Far more than any account needs, but small enough to keep in memory.
  static let pageLimit = 200
  static let itemLimit = 50_000

  private var seen: Set<String> = []

  /// Records the move to the next page. Throws for a loop, or if there are too many pages or items.
  mutating func advance(to next: String, holding items: Int) throws(CalendarError) {
    guard seen.insert(next).inserted, seen.count < Self.pageLimit, items <= Self.itemLimit else {
      throw CalendarError(.endless, status: 200)
    }
  }
}
