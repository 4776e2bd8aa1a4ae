import KeyplanModel

/// The content of a file of the system's zone data (TZif, RFC 9636).
struct ZoneFile: Sendable {
  private let first: Int
  private let changes: [ClockZone.Change]
  /// The rule that applies after the last change.
  private let footer: ZoneRule?

  /// - Returns: nil for anything else, and for the first version of the format, which ends in 2037.
  init?(_ bytes: [UInt8]) {
    // The first part is for readers of the first version: 32-bit times.
    guard let old = Header(bytes, at: 0), old.version >= UInt8(ascii: "2"),
      let header = Header(bytes, at: Header.size + old.size(ofTime: 4))
    else { return nil }
    let times = Header.size + old.size(ofTime: 4) + Header.size
    let indices = times + header.times * 8
    let types = indices + header.times
    let end = times + header.size(ofTime: 8)
    guard header.types > 0, end <= bytes.count else { return nil }
    func offset(_ type: Int) -> Int? {
      guard type < header.types else { return nil }
      return Int(Int32(truncatingIfNeeded: Self.number(bytes[types + type * 6..<types + type * 6 + 4])))
    }
    var changes: [ClockZone.Change] = []
    for index in 0..<header.times {
      let at = Self.number(bytes[times + index * 8..<times + index * 8 + 8])
      guard let offset = offset(Int(bytes[indices + index])), abs(offset) < 100_000 else { return nil }
      // Before the first year that can be written.
      guard at > -100_000_000_000 else { continue }
      guard at < 1_000_000_000_000 else { return nil }
      changes.append(ClockZone.Change(at: Moment(seconds: at), offset: offset))
    }
    guard let first = offset(0), abs(first) < 100_000 else { return nil }
    (self.first, self.changes) = (first, changes)
    let rest = bytes[end...].dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    footer = ZoneRule(rest)
    if footer == nil, !rest.isEmpty { return nil }
  }

  func zone(through year: Int) -> ClockZone {
    var changes = changes
    if let footer {
      let last = changes.last?.at ?? Moment(seconds: 0)
      let from = LocalTime(seconds: Int(last.seconds)).day.date.year
      changes += footer.changes(in: min(from, year)...year).filter { $0.at > last }
    }
    return ClockZone(first: first, changes: changes)
  }

  private struct Header {
    static let size = 44

    let version: UInt8
    let utcMarks, standardMarks, leaps, times, types, names: Int

    init?(_ bytes: [UInt8], at start: Int) {
      guard bytes.count >= start + Self.size, bytes[start...].starts(with: "TZif".utf8) else { return nil }
      version = bytes[start + 4]
      func count(_ index: Int) -> Int {
        Int(ZoneFile.number(bytes[start + 20 + index * 4..<start + 24 + index * 4]))
      }
      (utcMarks, standardMarks, leaps) = (count(0), count(1), count(2))
      (times, types, names) = (count(3), count(4), count(5))
    }

    /// The size of the data that follows; far from overflow, since each count has 32 bits.
    func size(ofTime size: Int) -> Int {
      times * (size + 1) + types * 6 + names + leaps * (size + 4) + standardMarks + utcMarks
    }
  }

  /// A number with its most significant byte first; of eight bytes, with its sign.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
