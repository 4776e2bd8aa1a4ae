import KeyplanJSON
package import KeyplanModel
import Synchronization

/// One service during a run. Its connections sign in once, and the results of lookups are kept.
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

  package func session(for place: RemotePlace) throws(RemoteFailure) -> PlaceSession {
    let key = PlaceKey(connection: place.connection.name, fields: place.fields)
    let result: Result<PlaceSession, RemoteFailure> = state.withLock { state in
      if let session = state.places[key] { return .success(session) }
      do throws(RemoteFailure) {
        let connection = try connectionSession(place.connection, &state)
        let session = try PlaceSession(connection, place.fields)
        state.places[key] = session
        return .success(session)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func connectionSession(_ connection: RemoteConnection) throws(RemoteFailure) -> ConnectionSession {
    let result: Result<ConnectionSession, RemoteFailure> = state.withLock { state in
      do throws(RemoteFailure) {
        return .success(try connectionSession(connection, &state))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func connectionSession(
    _ connection: RemoteConnection, _ state: inout State
  ) throws(RemoteFailure) -> ConnectionSession {
    if let known = state.connections[connection.name] { return known }
    let session = try ConnectionSession(api, connection, transport)
    state.connections[connection.name] = session
    return session
  }

  /// The hosts that a credential of the connection is sent to, with their ports. Nothing is sent to find out.
  package func hosts(of place: RemotePlace) throws(AccessFailure) -> Set<String> {
    do throws(RemoteFailure) {
      return try session(for: place).hosts()
    } catch {
      throw error.asAccess
    }
  }

  /// Signs in, and sends a request that needs the credential but no place, if the service has one.
  package func signedInAs(_ connection: RemoteConnection) async throws(RemoteFailure) -> SignedInAs {
    let session = try connectionSession(connection)
    if let found = try await session.machineCredential() { return .found(owner: found.owner, step: found.step) }
    // Without a place, the address may be incomplete.
    guard let builder = try? RequestBuilder(api, session.bindings) else { return .notAsked }
    let sender = RequestSender(connection: session, builder: builder)
    let signedIn = try await session.signIn(sender)
    if let account = api.account {
      let answer = try await sender.send(account.request, .read, session.bindings, needsJSON: account.name != nil)
      guard answer.meaning == .ok else { throw sender.failure(answer) }
      guard let name = account.name, let json = answer.json else { return .unnamed }
      guard let value = try? name.value(in: json.root, key: nil, of: json, session.bindings), let text = value.text
      else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(builder.host))
      }
      return .known(text)
    }
    guard signedIn.method.verify != nil else { return signedIn.method.login.isEmpty ? .notAsked : .unnamed }
    guard await session.isValid(signedIn, sender) else {
      throw RemoteFailure(.unauthenticated, RemoteMessages.rejected(builder.host))
    }
    return .unnamed
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
