import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Secrets of GitHub, as a target. The marks of a list show the current state.
struct GitHubTarget: SecretTarget {
  let session: GitHubSession

  var backend: BackendDescription { GitHubBackend.backend }
  var connection: Connection? { session.context.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      let scope = try scope(destination)
      var sight = TargetSight(.marks([:]))
      for name in question.intent?.setting ?? [] where GitHubBackend.names.fault(in: name) != nil {
        sight.writeBlockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
      }
      guard !question.names.isEmpty else { return sight }
      sight.placeId = try await session.identity(scope)
      let entries = try await session.entries(scope)
      var marks: [String: Mark?] = [:]
      for name in question.names {
        if let entry = entries[name.uppercased()] { marks.updateValue(Mark(entry.mark), forKey: name) }
      }
      sight.answer = .marks(marks)
      return sight
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    do throws(RemoteFailure) {
      return try await GitHubWrite(session, try scope(destination), changes).results()
    } catch {
      throw error.asAccess
    }
  }

  private func scope(_ destination: Destination) throws(RemoteFailure) -> GitHubScope {
    guard let fields = backend.target?.values(at: destination.location) else {
      throw RemoteFailure(.unreadable, RemoteMessages.noPlace)
    }
    return try GitHubScope(fields)
  }
}
