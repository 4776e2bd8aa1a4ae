internal import CProcess
internal import Dispatch
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Turns the first Ctrl-C, Ctrl-\, SIGTERM or SIGHUP into task cancellation, so that running steps finish and the rest is reported. A second
/// one ends the program immediately; the next plan continues from there. A session that ends sends SIGHUP twice, from its shell and from the
/// kernel, so a second SIGHUP has no further effect.
///
/// A signal that is ignored when the program starts stays ignored: `nohup` ignores SIGHUP.
enum Interrupts {
  /// Runs the work as a task that the first signal cancels. Afterwards signals have their previous handlers.
  static func cancelling<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, wasInterrupted: Bool) {
    let wake = wakingPipe
    // First, so that no signal arrives before the work begins.
    let before = listening()
    let task = Task { await work() }
    let source = DispatchSource.makeReadSource(fileDescriptor: wake.reading, queue: .global())
    source.setEventHandler {
      guard hasWoken() else { return }
      task.cancel()
      for (number, _) in before where number != SIGHUP { signal(number, SIG_DFL) }
    }
    source.resume()
    let value = await task.value
    restore(before)
    source.cancel()
    return (value, task.isCancelled || hasWoken())
  }

  /// Waits until a descriptor can be read, or one of the signals arrives.
  /// - Returns: false if a signal arrived.
  static func waitToRead(_ descriptor: Int32) -> Bool {
    var questions = [
      pollfd(fd: wakingPipe.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&questions, 2, -1) < 0, errno == EINTR {}
    return !hasWoken()
  }

  /// Runs work that uses `waitToRead`.
  static func watching<Value>(_ work: () throws(Failure) -> Value) throws(Failure) -> Value {
    _ = wakingPipe
    let before = listening()
    defer { restore(before) }
    return try work()
  }

  private typealias Handlers = [(number: Int32, handler: (@convention(c) (Int32) -> Void)?)]

  private static func listening() -> Handlers {
    [SIGINT, SIGQUIT, SIGTERM, SIGHUP].filter { keyplan_ignores($0) == 0 }
      .map { number in (number, signal(number) { _ in Interrupts.wakingPipe.put(1) }) }
  }

  private static func restore(_ handlers: Handlers) {
    for (number, handler) in handlers { signal(number, handler) }
  }

  // A pipe, and not Dispatch's own signal sources: a second one for the same signal, after a first one has been
  // cancelled, was observed to receive no more signals.
  private static let wakingPipe = WakingPipe()

  private static func hasWoken() -> Bool {
    var has = false
    while wakingPipe.next() != nil { has = true }
    return has
  }
}
