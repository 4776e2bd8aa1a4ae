import KeyplanJSON
import Synchronization

/// One place during a run: the values of its fields, and the results of its lookups.
package final class PlaceSession: Sendable {
  package let api: SecretAPI
  package let sender: RequestSender
  private let fields: Bindings
  private let found = SharedResults<Bindings>()
  /// Values from answers to writes, which later reads send.
  private let written = Mutex(Bindings())

  package init(_ connection: ConnectionSession, _ fields: [String: String]) throws(RemoteFailure) {
    api = connection.api
    var bindings = connection.bindings
    bindings = bindings.merging(try Bindings(fields.mapValues { .text($0) }, of: connection.api.target))
    do throws(RequestFault) {
      if !connection.api.places.isEmpty {
        guard let place = connection.api.places.first(where: { $0.fields.allSatisfy { bindings[$0] != nil } }) else {
          throw .noValue(connection.api.places.flatMap(\.fields).first ?? "place")
        }
        bindings["place"] = .ready(try place.path.path(bindings))
        for value in place.values {
          guard case .open(let text)? = try value.value.text(bindings) else { continue }
          bindings[value.name] = .text(text)
        }
      }
      sender = RequestSender(connection: connection, builder: try RequestBuilder(connection.api, bindings))
    } catch {
      throw RemoteFailure(.unreadable, RemoteMessages.reason(error))
    }
    self.fields = bindings
  }

  package var host: String { sender.builder.host }

  /// The hosts of all requests, with their ports.
  package func hosts() throws(RemoteFailure) -> Set<String> {
    var origins: Set<String> = [sender.builder.origin]
    let method = sender.connection.method
    do throws(RequestFault) {
      for login in method?.login ?? [] {
        if let base = login.request.base { origins.insert(RequestBuilder.origin(of: try base.path(fields))) }
      }
    } catch {
      throw RemoteFailure(.unreadable, RemoteMessages.reason(error))
    }
    return Set(origins.map { $0.split(separator: "/").last.map { $0.lowercased() } ?? $0 })
  }

  /// The variables of a request: the fields, and the lookup results that it uses.
  package func bindings(for variables: Set<String>) async throws(RemoteFailure) -> Bindings {
    var bindings = fields.merging(written.withLock { $0 })
    for lookup in try lookups(for: variables) {
      let known = bindings
      let result = await found.value("lookup \(lookup.name)") { [self] in
        do throws(RemoteFailure) {
          return .success(try await look(lookup, known))
        } catch {
          return .failure(error)
        }
      }
      bindings = bindings.merging(try result.get())
    }
    return bindings
  }

  /// Keeps the values that the answer to a write yields.
  package func keep(_ yields: [Named<Extract>], of answer: ClassifiedAnswer, _ bindings: Bindings) {
    guard answer.meaning == .ok, let json = answer.json else { return }
    for yield in yields {
      guard let text = (try? yield.value.value(in: json.root, key: nil, of: json, bindings))?.text else { continue }
      written.withLock { $0[yield.name] = .text(text) }
    }
  }

  /// The lookups whose values are needed, with those that they need themselves, in order.
  private func lookups(for variables: Set<String>) throws(RemoteFailure) -> [SecretAPI.Lookup] {
    var needed = variables
    var lookups: [SecretAPI.Lookup] = []
    for lookup in api.lookups.reversed() where !needed.isDisjoint(with: lookup.yields.map(\.name)) {
      lookups.insert(lookup, at: 0)
      needed.formUnion(lookup.request.variables)
    }
    return lookups
  }

  private func look(_ lookup: SecretAPI.Lookup, _ bindings: Bindings) async throws(RemoteFailure) -> Bindings {
    let answer = try await sender.send(lookup.request, .read, bindings, needsJSON: true)
    guard answer.meaning == .ok, let json = answer.json else { throw sender.failure(answer) }
    var found = Bindings()
    for yield in lookup.yields {
      guard let value = try? yield.value.value(in: json.root, key: nil, of: json, bindings), let text = value.text
      else {
        throw RemoteFailure(.unreadable, RemoteMessages.lookupFailed(lookup.name))
      }
      found[yield.name] = .text(text)
    }
    return found
  }

  /// Verifies that the place is of the expected kind.
  /// - Returns: its permanent id, if the service has one.
  @discardableResult
  package func identify() async throws(RemoteFailure) -> String? {
    guard let identify = api.identify else { return nil }
    let bindings = try await bindings(for: identify.request.variables)
    let result = await found.value("identify") { [self] in
      do throws(RemoteFailure) {
        return .success(try await self.identify(identify, bindings))
      } catch {
        return .failure(error)
      }
    }
    guard case .text(let identity)? = try result.get()["identity"] else { return nil }
    return identity
  }

  private func identify(_ identify: SecretAPI.Identify, _ bindings: Bindings) async throws(RemoteFailure) -> Bindings {
    let answer = try await sender.send(identify.request, .read, bindings, needsJSON: true)
    guard answer.meaning == .ok, let json = answer.json else { throw sender.failure(answer) }
    guard identify.expect.holds(for: json.root, in: json, bindings) else {
      throw RemoteFailure(.unreadable, identify.say ?? RemoteMessages.otherService(host))
    }
    var found = Bindings()
    if let extract = identify.identity {
      guard let value = try? extract.value(in: json.root, key: nil, of: json, bindings), let text = value.text else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
      }
      found["identity"] = .text(text)
    }
    return found
  }
}
