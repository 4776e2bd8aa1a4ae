/// Time as a wait for a lock sees it.
package struct WaitingClock: Sendable {
  /// The time since some beginning.
  let now: @Sendable () -> Duration
  /// Throws if the task is cancelled.
  let sleep: @Sendable (Duration) async throws -> Void

  package static let system: WaitingClock = {
    let clock = ContinuousClock()
    let start = clock.now
    return WaitingClock {
      start.duration(to: clock.now)
    } sleep: {
      try await clock.sleep(for: $0)
    }
  }()
}
