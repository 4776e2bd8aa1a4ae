/// Results that are computed once and shared by all tasks that need them.
package actor SharedResults<Value: Sendable> {
  private var tasks: [String: Task<Result<Value, RemoteFailure>, Never>] = [:]

  package init() {}

  package func value(
    _ key: String, _ make: @escaping @Sendable () async -> Result<Value, RemoteFailure>
  ) async -> Result<Value, RemoteFailure> {
    if let task = tasks[key] { return await task.value }
    let task = Task { await make() }
    tasks[key] = task
    return await task.value
  }

  /// The result that was computed for this key; nil if there is none.
  package func known(_ key: String) async -> Value? {
    guard let task = tasks[key] else { return nil }
    return try? await task.value.get()
  }
}
