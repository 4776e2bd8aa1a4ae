internal import Synchronization

/// Waits for work only so long. The work is cancelled then, and its result is dropped if it comes nevertheless.
func within<Result: Sendable>(
  _ limit: Duration, _ clock: ReaderClock, _ work: @escaping @Sendable () async -> Result
) async -> Result? {
  await Race().run(limit, clock, work)
}

private final class Race<Result: Sendable>: Sendable {
  private let continuation = Mutex<CheckedContinuation<Result?, Never>?>(nil)

  func run(_ limit: Duration, _ clock: ReaderClock, _ work: @escaping @Sendable () async -> Result) async -> Result? {
    let tasks = Mutex<[Task<Void, Never>]>([])
    let result = await withCheckedContinuation { continuation in
      self.continuation.withLock { $0 = continuation }
      tasks.withLock { tasks in
        tasks = [
          Task { self.finish(await work()) },
          Task {
            await clock.sleep(limit)
            self.finish(nil)
          },
        ]
      }
    }
    for task in tasks.withLock({ $0 }) { task.cancel() }
    return result
  }

  private func finish(_ result: Result?) {
    let waiting = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiting?.resume(returning: result)
  }
}
