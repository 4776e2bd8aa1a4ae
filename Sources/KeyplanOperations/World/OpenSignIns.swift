internal import Synchronization

/// The sign-ins at services that have to be ended with the command or the call.
package final class OpenSignIns: Sendable {
  private let endings = Mutex<[@Sendable () async -> Void]>([])

  package init() {}

  /// - Parameter ending: ends the sign-ins that exist by then; called each time.
  func add(_ ending: @escaping @Sendable () async -> Void) { endings.withLock { $0.append(ending) } }

  /// On the caller's thread: commands such as `get` use no other, and start faster without Swift's pool.
  package nonisolated(nonsending) func end() async {
    for ending in endings.withLock({ $0 }) { await ending() }
  }
}
