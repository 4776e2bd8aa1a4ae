/// A moment in both clocks of a machine.
package struct TimeStamp: Hashable, Sendable {
  package let start: String?
  /// Nanoseconds.
  package let sinceStart: Int64
  /// Milliseconds since 1970.
  package let wall: Int64

  package init(start: String?, sinceStart: Int64, wall: Int64) {
    (self.start, self.sinceStart, self.wall) = (start, sinceStart, wall)
  }

  /// Now.
  package static func system() -> TimeStamp {
    TimeStamp(start: MachineStart.id, sinceStart: MachineClocks.sinceStart(), wall: MachineClocks.wall())
  }

  /// The time since another moment: the longer one of the two clocks' times, so that setting one never makes anything
  /// younger. Nil if it is unknown: after a restart only the calendar counts, and it is earlier than it was.
  package func age(of then: TimeStamp) -> Duration? {
    let byCalendar = Duration.milliseconds(wall - then.wall)
    guard let start, start == then.start, sinceStart >= then.sinceStart else {
      return byCalendar < .zero ? nil : byCalendar
    }
    return max(byCalendar, .nanoseconds(sinceStart - then.sinceStart))
  }

  package func earlier(by age: Duration) -> TimeStamp {
    let nanoseconds = age.inNanoseconds
    return TimeStamp(start: start, sinceStart: sinceStart - nanoseconds, wall: wall - nanoseconds / 1_000_000)
  }

  /// Whether this moment was after another one, as far as is known now.
  package func isLater(than other: TimeStamp, _ now: TimeStamp) -> Bool {
    guard let own = now.age(of: self), let age = now.age(of: other) else { return false }
    return own <= age
  }
}
