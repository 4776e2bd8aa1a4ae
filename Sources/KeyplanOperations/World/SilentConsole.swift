package import KeyplanReporting
package import KeyplanSecrets

/// A console for programs: shows nothing, confirms nothing, and is interrupted by the caller's cancellation only.
package struct SilentConsole: Console {
  package init() {}

  package func warn(_ warning: Warning) {}
  package func log(_ subject: String, _ value: @autoclosure () -> String) {}
  package func show(_ text: String) {}
  package func confirm(_ question: String) throws(Failure) -> Bool { false }
  package func secret(_ question: String) throws(Failure) -> SecretBox? { nil }
  package var canAsk: Bool { false }
  package func text(_ question: String) throws(Failure) -> SecretBox? { nil }
  package func activity(_ line: LiveLine) -> any Activity { SilentActivity() }

  package func cancelling<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) async -> (value: Value, wasInterrupted: Bool) {
    let value = await work()
    return (value, Task.isCancelled)
  }
}

private struct SilentActivity: Activity {
  package func change(_ body: (inout LiveLine) -> Void) {}

  package func showing<Value>(_ work: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    try await work()
  }
}
