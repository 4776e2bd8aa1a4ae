internal import Synchronization

/// The sign-ins at services that have to be ended when a command or a call is over.
package final class OpenSignIns: Sendable {
  private let endings = Mutex<[@Sendable () async -> Void]>([])

  package init() {}

  /// - Parameter ending: ends what was signed in to until then; called each time.
  func add(_ ending: @escaping @Sendable () async -> Void) { endings.withLock { $0.append(ending) } }

  /// On the caller's thread: commands such as `get` use no other, and start faster without Swift's pool.
  package nonisolated(nonsending) func end() async {
    for ending in endings.withLock({ $0 }) { await ending() }
  }
}
