internal import KeyplanClocks

/// A value in memory, with its age.
final class CachedValue: Sendable {
  let content: KeySourceValue
  /// The source's version, or a random one.
  let version: String
  /// The source that gave it.
  let source: String
  /// The time of the request that gave or confirmed it. Of this start of the machine, even if it was before.
  let born: TimeStamp
  /// The part of the soft age after which it is refreshed ahead: random, so that many readers do not ask at the same time.
  let lead: Double

  init(_ content: KeySourceValue, version: String, from source: String, born: TimeStamp) {
    (self.content, self.version, self.source, self.born) = (content, version, source, born)
    lead = Double.random(in: 0.75..<0.95)
  }

  /// Whether it is younger than this, and may be served at all.
  func isYounger(than limit: Duration, sinceStart: Int64, wall: Int64) -> Bool {
    isYounger(than: limit.inNanoseconds, sinceStart: sinceStart, wall: wall)
  }

  /// The same with a limit in nanoseconds.
  func isYounger(than limit: Int64, sinceStart: Int64, wall: Int64) -> Bool {
    sinceStart - born.sinceStart < limit && wall - born.wall < limit / 1_000_000
      && !isOver(sinceStart: sinceStart, wall: wall)
  }

  /// Whether it is past its end, by either clock: setting the calendar back does not help.
  func isOver(sinceStart: Int64, wall: Int64) -> Bool {
    guard let end = content.endsAt else { return false }
    return wall >= end * 1000 || (sinceStart - born.sinceStart) / 1_000_000 >= end * 1000 - born.wall
  }

  func isOver(_ now: TimeStamp) -> Bool { isOver(sinceStart: now.sinceStart, wall: now.wall) }

  func age(_ now: TimeStamp) -> Duration { now.age(of: born) ?? .zero }

  func confirmed(at moment: TimeStamp) -> CachedValue {
    CachedValue(content, version: version, from: source, born: moment)
  }
}
