import CCurl

/// A thread of the system.
enum Thread {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread that nobody waits for.
  /// - Returns: an `errno` if there is no thread to be had.
  static func start(_ body: @escaping @Sendable () -> Void) -> Int32? {
    let start = Unmanaged.passRetained(Start(body))
    let number = keyplan_thread_start(
      { start in start.map { Unmanaged<Start>.fromOpaque($0).takeRetainedValue().body() } }, start.toOpaque())
    guard number != 0 else { return nil }
    start.release()
    return number
  }
}
