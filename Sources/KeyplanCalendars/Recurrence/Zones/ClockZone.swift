import KeyplanModel

/// A time zone: the offsets of its clocks, and the times at which they change.
struct ClockZone: Hashable, Sendable {
  struct Change: Hashable, Sendable {
    let at: Moment
    /// Seconds east of UTC from then on.
    let offset: Int
  }

  /// Seconds east of UTC before the first change.
  private let first: Int
  /// In order of time.
  private let changes: [Change]

  static let utc = ClockZone(first: 0, changes: [])

  init(first: Int, changes: [Change]) {
    self.first = first
    self.changes = changes.sorted { $0.at < $1.at }
  }

  func local(at moment: Moment) -> LocalTime {
    let passed = count { changes[$0].at <= moment }
    return LocalTime(seconds: Int(moment.seconds) + offset(after: passed))
  }

  /// The moment of a local time. One that occurs twice is the first of them; one that is skipped is counted with the
  /// offset before the change (RFC 5545, section 3.3.5).
  func moment(of local: LocalTime) -> Moment {
    let passed = count { index in
      Int(changes[index].at.seconds) + max(changes[index].offset, offset(after: index)) <= local.seconds
    }
    return Moment(seconds: Int64(local.seconds - offset(after: passed)))
  }

  /// The offset after the first so many changes.
  private func offset(after count: Int) -> Int { count == 0 ? first : changes[count - 1].offset }

  /// The number of changes that have passed, where those that have are the first ones.
  private func count(_ hasPassed: (Int) -> Bool) -> Int {
    var (low, high) = (0, changes.count)
    while low < high {
      let middle = (low + high) / 2
      if hasPassed(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
