internal import KeyplanClocks

/// The time since the machine's start, and the calendar time.
package struct ReaderClock: Sendable {
  /// Nanoseconds since the machine was started, those asleep included.
  package var sinceStart: @Sendable () -> Int64
  /// Milliseconds since 1970. Anyone can set this clock.
  package var wall: @Sendable () -> Int64
  /// Distinguishes one start of the machine from another; nil if it is unknown.
  package var start: String?
  package var sleep: @Sendable (Duration) async -> Void

  package init(
    sinceStart: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64, start: String?,
    sleep: @escaping @Sendable (Duration) async -> Void
  ) {
    (self.sinceStart, self.wall, self.start, self.sleep) = (sinceStart, wall, start, sleep)
  }

  package static let system = ReaderClock(
    sinceStart: { MachineClocks.sinceStart() }, wall: { MachineClocks.wall() }, start: MachineStart.id,
    sleep: { try? await Task.sleep(for: $0) })

  var now: TimeStamp { TimeStamp(start: start, sinceStart: sinceStart(), wall: wall()) }
}
