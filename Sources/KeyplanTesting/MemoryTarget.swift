package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets
import Synchronization

/// An in-memory target for tests, which can behave like targets that show their values and like those that do not.
package final class MemoryTarget: SecretTarget {
  /// A simulated failure for one name of a write.
  package enum NameFault: Sendable {
    /// It is not written.
    case refused(AccessFailure)
    /// It is not written, because it was changed meanwhile.
    case stale
    /// It is written, but the response is lost.
    case writtenButLost
    /// It is not written, and the response is lost.
    case lost
  }

  /// The name and capabilities of the target.
  package let backend: BackendDescription
  /// The connection that it uses.
  package let connection: Connection?
  private let state = Mutex(State())

  private struct State {
    var places: [Destination: [String: [UInt8]]] = [:]
    /// A number for each value that was ever written.
    var marks: [Destination: [String: Int]] = [:]
    var lastMark = 0
    var ids: [Destination: String] = [:]
    var faults: [Destination: AccessFailure] = [:]
    var failures: [Int: AccessFailure] = [:]
    var nameFaults: [String: NameFault] = [:]
    var unread: [String: AccessFailure] = [:]
    var reads = 0
    var writes = 0

    mutating func set(_ value: [UInt8]?, under name: String, at destination: Destination) {
      places[destination, default: [:]][name] = value
      lastMark += 1
      marks[destination, default: [:]][name] = value == nil ? nil : lastMark
    }
  }

  /// Initially empty.
  /// - Parameters:
  ///   - readsBack: the part of written values that the target shows.
  ///   - limits: the limits of the target.
  package init(
    _ name: String = "memory", readsBack: TargetGrammar.ReadBack = .values,
    limits: TargetGrammar.Limits = TargetGrammar.Limits()
  ) {
    connection = nil
    backend = BackendDescription(
      name,
      target: TargetGrammar(
        fields: [BackendField("place", isRequired: true)], limits: limits, readsBack: readsBack))
  }

  /// A service that is written to through a connection; initially empty.
  package init(_ backend: BackendDescription, through connection: Connection) {
    self.backend = backend
    self.connection = connection
  }

  /// Changes a value, like another program would; nil removes it.
  package func put(_ value: [UInt8]?, under name: String, at destination: Destination) {
    state.withLock { $0.set(value, under: name, at: destination) }
  }

  /// All values at a destination, by name.
  package func contents(at destination: Destination) -> [String: [UInt8]] {
    state.withLock { $0.places[destination, default: [:]] }
  }

  /// Sets the id of a destination. One that is deleted and created again with the same name has another id.
  package func identify(_ destination: Destination, as id: String?) { state.withLock { $0.ids[destination] = id } }

  /// Makes a destination fail; nil ends the failure.
  package func fail(_ fault: AccessFailure?, at destination: Destination) {
    state.withLock { $0.faults[destination] = fault }
  }

  /// Makes one write fail; the first one has number 1.
  package func failWrite(number: Int, with failure: AccessFailure) {
    state.withLock { $0.failures[number] = failure }
  }

  /// Makes every write of a name fail; nil ends the failure.
  package func fail(_ fault: NameFault?, name: String) { state.withLock { $0.nameFaults[name] = fault } }

  /// Makes every read of a name fail; nil ends the failure.
  package func failRead(_ fault: AccessFailure?, of name: String) { state.withLock { $0.unread[name] = fault } }

  /// The number of reads.
  package var reads: Int { state.withLock { $0.reads } }

  /// The number of writes, including failed ones.
  package var writes: Int { state.withLock { $0.writes } }

  /// Returns what the target shows, or the configured failure.
  package func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    state.withLock { state in
      state.reads += 1
      if let failure = state.faults[destination] { return TargetSight(.failed(failure)) }
      let wanted = state.places[destination, default: [:]].filter { question.names.contains($0.key) }
      let answer: TargetAnswer =
        switch backend.target?.readsBack {
        case .marks:
          .marks(
            wanted.reduce(into: [:]) { all, entry in
              all[entry.key] = .some(state.marks[destination]?[entry.key].map { Mark("\($0)") })
            })
        case .presence: .marks(wanted.mapValues { _ in nil })
        case .values, nil:
          TargetAnswer(
            wanted.mapValues { .text(SecretBox($0)) }, failures: state.unread.filter { wanted[$0.key] != nil },
            of: question.names)
        }
      return TargetSight(answer, placeId: state.ids[destination])
    }
  }

  /// Makes all changes, or none if the write fails; single names are skipped if they fail or are not as expected.
  package func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    let result: Result<[String: WriteResult], AccessFailure> = state.withLock { state in
      state.writes += 1
      if let failure = state.faults[destination] ?? state.failures[state.writes] { return .failure(failure) }
      let values = changes.set.map { ($0.name, $0.value.withBytes { Array($0) }) }
      var results: [String: WriteResult] = [:]
      for (name, value) in values.map({ ($0, Optional($1)) }) + changes.remove.map({ ($0, nil) }) {
        guard value?.contains(0) != true else {
          results[name] = .refused(AccessFailure(.unreadable, "The value contains a NUL byte."))
          continue
        }
        results[name] = self.write(value, under: name, at: destination, expecting: changes.expected, &state)
      }
      return .success(results)
    }
    return try result.get()
  }

  private func write(
    _ value: [UInt8]?, under name: String, at destination: Destination, expecting expected: [String: Mark?]?,
    _ state: inout State
  ) -> WriteResult {
    let mark = state.marks[destination]?[name].map { Mark("\($0)") }
    if let expected, backend.target?.readsBack == .marks, (expected[name] ?? nil) != mark { return .stale }
    switch state.nameFaults[name] {
    case .refused(let failure): return .refused(failure)
    case .stale: return .stale
    case .lost: return .unknown("The response was lost.")
    case .writtenButLost:
      state.set(value, under: name, at: destination)
      return .unknown("The response was lost.")
    case nil:
      state.set(value, under: name, at: destination)
      return .done()
    }
  }
}

extension AccessFailure {
  /// The service is unreachable, with this reason.
  package static func unreachable(_ reason: String) -> AccessFailure { AccessFailure(.unreachable, reason) }

  /// The content is not usable, with this reason.
  package static func unreadable(_ reason: String) -> AccessFailure { AccessFailure(.unreadable, reason) }
}
