package import KeyplanCore
import Synchronization

/// One service during a run. Its connections sign in once, and what was looked up about a place is kept.
package final class RemoteService: Sendable {
  package let api: SecretAPI
  private let transport: RemoteTransport
  private let state = Mutex(State())

  private struct State {
    var connections: [String: ConnectionSession] = [:]
    var places: [PlaceKey: PlaceSession] = [:]
  }

  private struct PlaceKey: Hashable {
    let connection: String
    let fields: [String: String]
  }

  package init(_ api: SecretAPI, _ transport: RemoteTransport) {
    self.api = api
    self.transport = transport
  }

  func session(for place: RemotePlace) throws(RemoteFailure) -> PlaceSession {
    let key = PlaceKey(connection: place.connection.name, fields: place.fields)
    let result: Result<PlaceSession, RemoteFailure> = state.withLock { state in
      if let session = state.places[key] { return .success(session) }
      do throws(RemoteFailure) {
        let known = state.connections[key.connection]
        let connection = if let known { known } else { try ConnectionSession(api, place.connection, transport) }
        state.connections[key.connection] = connection
        let session = try PlaceSession(connection, place.fields)
        state.places[key] = session
        return .success(session)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The hosts that a credential of the connection is sent to, with their ports. Nothing is sent to find out.
  package func hosts(of place: RemotePlace) throws(AccessFailure) -> Set<String> {
    do throws(RemoteFailure) {
      return try session(for: place).hosts()
    } catch {
      throw error.asAccess
    }
  }

  /// Ends the logins of this run where the service can.
  package func signOut() async {
    let places = state.withLock { Array($0.places.values) }
    var ended: Set<ObjectIdentifier> = []
    for place in places where ended.insert(ObjectIdentifier(place.sender.connection)).inserted {
      await place.sender.connection.signOut(place.sender)
    }
  }
}
