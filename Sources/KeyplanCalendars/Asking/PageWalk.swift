/// Bounds the way from page to page: a service, or whoever answers in its place, must not lead us in circles for ever.
struct PageWalk {
  /// Far more than any account has, and little enough to hold.
  static let pageLimit = 200
  static let itemLimit = 50_000

  private var seen: Set<String> = []

  /// Goes on to the page of this name.
  mutating func turn(to next: String, holding items: Int) throws(CalendarError) {
    guard seen.insert(next).inserted, seen.count < Self.pageLimit, items <= Self.itemLimit else {
      throw CalendarError(.endless, status: 200)
    }
  }
}
