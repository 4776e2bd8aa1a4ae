internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets
internal import Synchronization

/// A console for a command that reads the store repeatedly. It asks no questions, writes a warning once until `forget`, and
/// leaves signals to the command.
final class WatchConsole: Console {
  private let terminal: Terminal
  private let told = Mutex<Set<String>>([])

  init(_ terminal: Terminal) { self.terminal = terminal }

  func warn(_ warning: Warning) {
    guard told.withLock({ $0.insert(warning.summary + warning.detail).inserted }) else { return }
    TerminalConsole(terminal: terminal).warn(warning)
  }

  /// Repeated warnings are shown again.
  func forget() { told.withLock { $0 = [] } }

  func log(_ subject: String, _ value: @autoclosure () -> String) {}
  func show(_ text: String) {}
  func confirm(_ question: String) throws(Failure) -> Bool { false }
  func secret(_ question: String) throws(Failure) -> SecretBox? { nil }
  var canAsk: Bool { false }
  func text(_ question: String) throws(Failure) -> SecretBox? { nil }
  func activity(_ line: LiveLine) -> any Activity { LiveDisplay(line, on: terminal) }

  func cancelling<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, wasInterrupted: Bool) {
    let value = await work()
    return (value, Task.isCancelled)
  }
}
