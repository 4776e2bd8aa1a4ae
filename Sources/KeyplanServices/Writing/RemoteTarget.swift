package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// Secrets in a service, as a target.
package struct RemoteTarget: SecretTarget {
  package let backend: BackendDescription
  private let service: RemoteService
  private let locate: @Sendable (Destination) -> RemotePlace?

  /// - Parameter locate: the place of a destination; nil if it cannot be used.
  package init(
    _ service: RemoteService, _ backend: BackendDescription, locate: @escaping @Sendable (Destination) -> RemotePlace?
  ) {
    self.service = service
    self.backend = backend
    self.locate = locate
  }

  package func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      let session = try session(destination)
      var sight = TargetSight(.values([:]))
      var found: [String: EntryFinding] = [:]
      if !question.names.isEmpty {
        // A name that the service cannot have is not there.
        let asked = question.names.sorted().filter { session.isAsked($0) }
        if !asked.isEmpty { found = try await session.observe(asked) }
        sight = TargetSight(Self.answer(found, of: question.names, showsValues: service.api.showsValues))
        sight.placeId = try await session.identify()
      }
      if let intent = question.intent { sight.writeBlockers = session.writeBlockers(intent, found) }
      return sight
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  package func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    do throws(RemoteFailure) {
      return try await RemoteWrite(try session(destination), changes).results()
    } catch {
      throw error.asAccess
    }
  }

  private func session(_ destination: Destination) throws(RemoteFailure) -> PlaceSession {
    guard let place = locate(destination) else { throw RemoteFailure(.unreadable, RemoteMessages.noPlace) }
    return try service.session(for: place)
  }

  /// Values if all that is there shows them, otherwise marks.
  private static func answer(
    _ found: [String: EntryFinding], of asked: Set<String>, showsValues: Bool
  ) -> TargetAnswer {
    var values: [String: TargetValue] = [:]
    var marks: [String: Mark?] = [:]
    var failures: [String: AccessFailure] = [:]
    var isHidden = !showsValues
    for (name, finding) in found.sorted(by: { $0.key < $1.key }) {
      switch finding {
      case .missing, .vacant: continue
      case .failed(let failure): failures[name] = failure
      case .found(let entry):
        marks.updateValue(entry.currentMark.map { Mark($0) }, forKey: name)
        if let value = entry.value {
          let holdsNUL = value.withBytes { ValueFault(in: $0) } == .holdsNUL
          values[name] = holdsNUL ? .other : .text(value)
        } else if entry.isOther {
          values[name] = .other
        } else {
          isHidden = true
        }
      }
    }
    guard isHidden else { return TargetAnswer(values, failures: failures, of: asked) }
    // Marks have no room for a name that could not be read.
    if let (name, failure) = failures.min(by: { $0.key < $1.key }) { return .failed(failure.at(name)) }
    return .marks(marks)
  }
}

extension PlaceSession {
  /// The known reasons that names cannot be set or removed.
  package func writeBlockers(_ intent: TargetQuestion.Intent, _ found: [String: EntryFinding]) -> WriteBlockers {
    var blockers = WriteBlockers()
    if !api.isWritable { blockers.place = WriteBlocker(reason: RemoteMessages.cannotWrite) }
    for name in intent.setting {
      if (api.names?.rule ?? .text).fault(in: name) != nil {
        blockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
      } else if case .found(let entry) = found[name], entry.isShared {
        blockers.setting[name] = WriteBlocker(reason: RemoteMessages.sharedEntry)
      }
    }
    for name in intent.removing {
      guard case .found(let entry) = found[name] else { continue }
      if entry.isShared {
        blockers.removing[name] = WriteBlocker(reason: RemoteMessages.sharedEntry)
      } else if !api.isDeletable {
        blockers.removing[name] = WriteBlocker(reason: RemoteMessages.cannotDelete)
      }
    }
    return blockers
  }
}
