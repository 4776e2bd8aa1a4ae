package import KeyplanApply
package import KeyplanReporting
package import KeyplanSecrets

/// The output and questions of an operation while it runs. Results are returned instead.
package protocol Console: Sendable {
  /// Shows a warning.
  func warn(_ warning: Warning)
  /// Shows which file or identity is used, in verbose mode only: otherwise the value is not even computed.
  func log(_ subject: String, _ value: @autoclosure () -> String)
  /// Shows the text of a question, or instructions to act on now.
  func show(_ text: String)
  /// Asks a question that only `yes` confirms; false without a terminal.
  /// - Throws: `interrupted` after a signal.
  func confirm(_ question: String) throws(Failure) -> Bool
  /// Asks for a secret without showing it; nil without a terminal, or if nothing was typed.
  /// - Throws: `interrupted` after a signal.
  func secret(_ question: String) throws(Failure) -> SecretBox?
  /// Whether questions are possible.
  var canAsk: Bool { get }
  /// Asks for a text that may be shown; nil without a terminal, or if nothing was typed.
  /// - Throws: `interrupted` after a signal.
  func text(_ question: String) throws(Failure) -> SecretBox?
  /// Shows a line during a long operation.
  func activity(_ line: LiveLine) -> any Activity
  /// Checks the system's limits for tasks, before the first one is started.
  func requireTasks() throws(Failure)
  /// Runs work as a task that is cancelled by a signal or with its caller. The work handles cancellation itself.
  func cancelling<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, wasInterrupted: Bool)
}

extension Console {
  package func requireTasks() throws(Failure) {}

  /// Runs work that has no external effects in the same way, and ends the operation after it if a signal came.
  package func ending<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let (result, wasInterrupted) = await cancelling { () async -> Result<Value, Failure> in
      do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
    }
    let value = try result.get()
    guard !wasInterrupted else { throw Failure(.interrupted, "Interrupted", "No further steps were run.") }
    return value
  }
}

/// A line that is shown during a long operation.
package protocol Activity: Sendable {
  /// Changes the text of the line. May be called from any task.
  func change(_ body: (inout LiveLine) -> Void)
  /// Does the work with the line in view.
  func showing<Value>(_ work: () async throws(Failure) -> Value) async throws(Failure) -> Value
}

extension Activity {
  /// Shows the places that are being queried.
  package func follow(_ asking: Asking) {
    change { line in
      switch asking {
      case .began(let name): line.began("asking \(name)")
      case .ended(let name): line.ended("asking \(name)")
      }
    }
  }
}

/// A warning, which does not end the operation.
package struct Warning: Sendable {
  package let summary: String
  package let detail: String
  package let hint: String?
  /// Whether it is omitted if only results and errors are wanted.
  package let isRoutine: Bool

  package init(_ summary: String, _ detail: String, hint: String? = nil, isRoutine: Bool = false) {
    (self.summary, self.detail, self.hint, self.isRoutine) = (summary, detail, hint, isRoutine)
  }
}
