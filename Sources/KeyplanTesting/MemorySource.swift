public import KeyplanApply
public import KeyplanCore
public import KeyplanSecrets
import Synchronization

/// A source that says what it was told to say: the twin of every real one.
public final class MemorySource: RemovableSource {
  /// What to say to one reference.
  public enum Script: Sendable {
    /// These bytes.
    case value([UInt8])
    /// Nothing is there.
    case missing
    /// Whether something is there cannot be told.
    case failed(AccessFailure)

    /// It cannot be asked, for this reason.
    public static func unreachable(_ reason: String) -> Script { .failed(AccessFailure(.unreachable, reason)) }
    /// It cannot be used, for this reason.
    public static func unreadable(_ reason: String) -> Script { .failed(AccessFailure(.unreadable, reason)) }
  }

  /// What it is called, and how references to it look.
  public let backend: BackendDescription
  private let state: Mutex<State>

  private struct State {
    var scripts: [Reference: Script]
    var delay: Duration
    var batches: [[Reference]] = []
  }

  /// Says *missing* to every reference without a script.
  public init(_ backend: BackendDescription, _ scripts: [Reference: Script] = [:], delay: Duration = .zero) {
    self.backend = backend
    state = Mutex(State(scripts: scripts, delay: delay))
  }

  /// Changes what it says from now on.
  public func say(_ script: Script, to reference: Reference) {
    state.withLock { $0.scripts[reference] = script }
  }

  /// The references of every call so far.
  public var batches: [[Reference]] { state.withLock { $0.batches } }

  /// Waits for the delay and says what it was told to say.
  public func read(_ references: [Reference]) async -> [SourceAnswer] {
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

  /// Says *missing* from now on, if it says this value now.
  public func remove(_ reference: Reference, holding value: SecretBox) async throws(AccessFailure) {
    let isRemoved = state.withLock { state in
      switch state.scripts[reference] {
      case nil, .missing: return true
      case .value(let bytes) where value.withBytes({ $0.elementsEqual(bytes) }):
        state.scripts[reference] = .missing
        return true
      case .value, .failed: return false
      }
    }
    if !isRemoved { throw AccessFailure(.unreadable, "It holds another value.") }
  }
}
