public import KeyplanApply
public import KeyplanCore
import KeyplanSecrets
import Synchronization

/// A target in memory: the twin of every real one.
public final class MemoryTarget: SecretTarget {
  /// What goes wrong from now on.
  public enum Fault: Sendable {
    /// It cannot be asked or written, for this reason.
    case unreachable(String)
    /// It cannot be used as it is, for this reason.
    case unreadable(String)
    /// It takes values and never shows them.
    case writeOnly
  }

  /// The type's name in the manifest.
  public let type: String
  private let state = Mutex(State())

  private struct State {
    var places: [Destination: [String: [UInt8]]] = [:]
    var faults: [Destination: Fault] = [:]
    var failures: [Int: TargetFailure] = [:]
    var reads = 0
    var writes = 0
  }

  /// Empty everywhere.
  public init(type: String = "memory") { self.type = type }

  /// Puts a value somewhere, as somebody else would; nil takes it away.
  public func put(_ value: [UInt8]?, under name: String, at destination: Destination) {
    state.withLock { $0.places[destination, default: [:]][name] = value }
  }

  /// Everything at a place, by name.
  public func contents(at destination: Destination) -> [String: [UInt8]] {
    state.withLock { $0.places[destination, default: [:]] }
  }

  /// Has a place fail from now on; nil mends it.
  public func fail(_ fault: Fault?, at destination: Destination) {
    state.withLock { $0.faults[destination] = fault }
  }

  /// Has one write fail: the first one ever is number 1.
  public func failWrite(number: Int, with failure: TargetFailure) {
    state.withLock { $0.failures[number] = failure }
  }

  /// How often it was read.
  public var reads: Int { state.withLock { $0.reads } }

  /// How often it was written to, failures counted too.
  public var writes: Int { state.withLock { $0.writes } }

  /// Gives what is there, or the fault.
  public func read(_ names: Set<String>, at destination: Destination) async -> TargetAnswer {
    state.withLock { state in
      state.reads += 1
      switch state.faults[destination] {
      case .unreachable(let reason): return .unreachable(reason)
      case .unreadable(let reason): return .unreadable(reason)
      case .writeOnly: return .writeOnly
      case nil: break
      }
      let wanted = state.places[destination, default: [:]].filter { names.contains($0.key) }
      return .values(wanted.mapValues { .text(SharedSecret($0)) })
    }
  }

  /// Changes everything, or nothing where it fails.
  public func write(_ changes: TargetChanges, at destination: Destination) async throws(TargetFailure) {
    let failure: TargetFailure? = state.withLock { state in
      state.writes += 1
      switch state.faults[destination] {
      case .unreachable(let reason): return TargetFailure(isUnreachable: true, reason: reason)
      case .unreadable(let reason): return TargetFailure(reason: reason)
      case .writeOnly, nil: break
      }
      if let failure = state.failures[state.writes] { return failure }
      var place = state.places[destination, default: [:]]
      for (name, value) in changes.set {
        let bytes = value.withBytes { Array($0) }
        guard !bytes.contains(0) else { return TargetFailure(reason: "A value holds a NUL byte.") }
        place[name] = bytes
      }
      for name in changes.remove { place[name] = nil }
      state.places[destination] = place
      return nil
    }
    if let failure { throw failure }
  }
}
