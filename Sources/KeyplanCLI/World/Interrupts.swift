internal import Dispatch

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Turns the first Ctrl-C or SIGTERM into a cancelled task, so that the running steps end and what is left is said. A
/// second one ends the program at once; the next plan picks up what it left.
enum Interrupts {
  /// Runs the work as a task that the first signal cancels.
  static func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
    let task = Task { await work() }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        task.cancel()
        signal(number, SIG_DFL)
      }
      source.resume()
      return source
    }
    let value = await task.value
    for source in sources { source.cancel() }
    return value
  }
}
