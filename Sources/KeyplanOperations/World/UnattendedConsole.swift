package import KeyplanReporting
package import KeyplanSecrets

/// A console that shows warnings, but asks no questions although there may be a terminal: a person must not mistake questions of a helper
/// for those of the program that runs it.
package struct UnattendedConsole: Console {
  private let console: any Console

  package init(_ console: any Console) { self.console = console }

  package func warn(_ warning: Warning) { console.warn(warning) }
  package func log(_ subject: String, _ value: @autoclosure () -> String) { console.log(subject, value()) }
  package func show(_ text: String) {}
  package func confirm(_ question: String) throws(Failure) -> Bool { false }
  package func secret(_ question: String) throws(Failure) -> SecretBox? { nil }
  package var canAsk: Bool { false }
  package func text(_ question: String) throws(Failure) -> SecretBox? { nil }
  package func activity(_ line: LiveLine) -> any Activity { SilentConsole().activity(line) }
  package func requireTasks() throws(Failure) { try console.requireTasks() }

  package func cancelling<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, wasInterrupted: Bool) { await console.cancelling(work) }
}
