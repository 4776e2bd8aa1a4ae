package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets
import Synchronization

/// An in-memory source for tests, with configurable answers.
package final class MemorySource: RemovableSource {
  /// The answer to a reference.
  package enum Script: Sendable {
    /// A value with these bytes.
    case value([UInt8])
    /// Definitely missing.
    case missing
    /// Unknown, because of this failure.
    case failed(AccessFailure)

    /// Unreachable, with this reason.
    package static func unreachable(_ reason: String) -> Script { .failed(AccessFailure(.unreachable, reason)) }
    /// Unreadable, with this reason.
    package static func unreadable(_ reason: String) -> Script { .failed(AccessFailure(.unreadable, reason)) }
  }

  /// The name of the source, and the syntax of its references.
  package let backend: BackendDescription
  /// The connection that it uses.
  package let connection: Connection?
  private let state: Mutex<State>

  private struct State {
    var scripts: [Reference: Script]
    var delay: Duration
    var batches: [[Reference]] = []
  }

  /// References without a script are *missing*.
  ///
  /// - Parameter connection: the connection that it uses; nil for a backend of this machine.
  package init(
    _ backend: BackendDescription, _ scripts: [Reference: Script] = [:], delay: Duration = .zero,
    through connection: Connection? = nil
  ) {
    self.backend = backend
    self.connection = connection
    state = Mutex(State(scripts: scripts, delay: delay))
  }

  /// Changes the answer to a reference.
  package func say(_ script: Script, to reference: Reference) {
    state.withLock { $0.scripts[reference] = script }
  }

  /// The references of every call so far.
  package var batches: [[Reference]] { state.withLock { $0.batches } }

  /// Waits for the delay and returns the configured answers.
  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    let (scripts, delay) = state.withLock { state in
      state.batches.append(references)
      return (state.scripts, state.delay)
    }
    if delay > .zero { try? await Task.sleep(for: delay) }
    return references.map { reference in
      switch scripts[reference] {
      case nil, .missing: .missing()
      case .value(let bytes): .value(SecretBox(bytes))
      case .failed(let failure): .failed(failure)
      }
    }
  }

  /// Changes the answer to *missing*, if it is this value now.
  package func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    let isRemoved = state.withLock { state in
      switch state.scripts[reference] {
      case nil, .missing: return true
      case .value(let bytes) where value.withBytes({ $0.elementsEqual(bytes) }):
        state.scripts[reference] = .missing
        return true
      case .value, .failed: return false
      }
    }
    if !isRemoved { throw AccessFailure(.unreadable, "The value was changed meanwhile.") }
  }
}
