import KeyplanJSON
import KeyplanPorts
import KeyplanSecrets
import Synchronization

/// State that all places of one connection share during a run: the sign-in, and the pace of requests.
package final class ConnectionSession: Sendable {
  package let api: SecretAPI
  package let transport: RemoteTransport
  /// The values of the connection's fields.
  package let bindings: Bindings
  private let ambient: (@Sendable (AmbientChain) async throws(RemoteFailure) -> AmbientCredential)?
  private let lane: Lane
  private let signIns = SharedResults<SignedIn>()
  private let verifications = SharedResults<Bool>()
  private let state = Mutex(State())

  private struct State {
    /// Counts sign-ins: a credential that is rejected is replaced once.
    var generation = 0
    var writes = 0
  }

  /// A credential of this run.
  package struct SignedIn: Sendable {
    package let method: SecretAPI.SignInMethod
    /// The values that the logins yielded.
    package let bindings: Bindings
    package let generation: Int
  }

  package init(_ api: SecretAPI, _ connection: RemoteConnection, _ transport: RemoteTransport) throws(RemoteFailure) {
    self.api = api
    self.transport = transport
    ambient = connection.ambient
    bindings = try Bindings(connection.fields, of: api.connection)
    lane = Lane(width: api.pace.concurrency)
  }

  /// The way to sign in: the first whose fields have values.
  package var method: SecretAPI.SignInMethod? {
    api.auth.first { method in
      (method.chain == nil || ambient != nil) && Self.needed(by: method, of: api).allSatisfy { bindings[$0] != nil }
    }
  }

  /// Signs in unless that has been done.
  package func signIn(_ sender: RequestSender) async throws(RemoteFailure) -> SignedIn {
    let generation = state.withLock { $0.generation }
    let result = await signIns.value("\(generation)") { [self] in
      do throws(RemoteFailure) {
        return .success(try await makeSignIn(sender, generation))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func makeSignIn(_ sender: RequestSender, _ generation: Int) async throws(RemoteFailure) -> SignedIn {
    guard !api.auth.isEmpty else {
      return SignedIn(method: SecretAPI.SignInMethod(), bindings: Bindings(), generation: generation)
    }
    guard let method else {
      throw RemoteFailure(.unauthenticated, RemoteMessages.noSignIn)
    }
    var yielded = try members(of: method)
    if let found = try await machineCredential() {
      yielded["session"] = .secret(found.token)
      yielded["quotaProject"] = found.quotaProject.map { .text($0) }
    }
    if let assertion = method.assertion {
      let signed = try SignedAssertion.make(assertion, bindings.merging(yielded), at: transport.now())
      yielded[SecretAPI.Assertion.variable] = .secret(signed)
    }
    for login in method.login {
      let answer = try await sender.send(login.request, .login, bindings.merging(yielded))
      guard answer.meaning == .ok, let json = answer.json else {
        let isRejected = [.refused, .denied, .unauthenticated].contains(answer.meaning)
        throw RemoteFailure(
          isRejected ? .unauthenticated : answer.meaning, answer.reason, retryAfter: sender.failure(answer).retryAfter)
      }
      for yield in login.yields {
        guard let value = try? yield.value.value(in: json.root, key: nil, of: json, bindings),
          case .string(let token) = value
        else { throw RemoteFailure(.unreadable, RemoteMessages.tokenMissing) }
        yielded[yield.name] = .secret(token)
      }
    }
    return SignedIn(method: method, bindings: yielded, generation: generation)
  }

  /// The machine's own credential, searched again on each call; nil if the connection signs in otherwise.
  package func machineCredential() async throws(RemoteFailure) -> AmbientCredential? {
    guard let chain = method?.chain, let ambient else { return nil }
    return try await ambient(chain)
  }

  /// The members of credentials that are JSON objects.
  private func members(of method: SecretAPI.SignInMethod) throws(RemoteFailure) -> Bindings {
    var found = Bindings()
    for set in method.members {
      guard case .secret(let object)? = bindings[set.field], let json = JSONAnswer(object) else {
        throw RemoteFailure(.unauthenticated, RemoteMessages.notAJSONCredential(set.field))
      }
      for member in set.members {
        let values = json.values(at: member.value, in: json.root)
        guard values.count == 1, let value = json.secret(values[0]) else {
          throw RemoteFailure(.unauthenticated, RemoteMessages.credentialMember(set.field, member.name))
        }
        found[member.name] = .secret(value)
      }
    }
    return found
  }

  /// The fields without which a method cannot be used.
  package static func needed(by method: SecretAPI.SignInMethod, of api: SecretAPI) -> Set<String> {
    method.required.intersection(api.connection.map(\.name)).union(method.when)
  }

  /// Makes the next request sign in again.
  package func renew(after signedIn: SignedIn) {
    state.withLock { if $0.generation == signedIn.generation { $0.generation += 1 } }
  }

  /// Whether the credential is valid; true if the service cannot tell.
  package func isValid(_ signedIn: SignedIn, _ sender: RequestSender) async -> Bool {
    guard let verify = signedIn.method.verify else { return true }
    let result = await verifications.value("\(signedIn.generation)") { [self] in
      do throws(RemoteFailure) {
        let answer = try await sender.send(verify, .verification(signedIn), bindings.merging(signedIn.bindings))
        return .success(answer.meaning == .ok || answer.meaning.isTransient)
      } catch {
        return .success(true)
      }
    }
    return (try? result.get()) ?? true
  }

  /// Logs out, if the service has a request for it.
  package func signOut(_ sender: RequestSender) async {
    let generation = state.withLock { $0.generation }
    guard let signedIn = await signIns.known("\(generation)"), let logout = signedIn.method.logout,
      !signedIn.method.login.isEmpty
    else { return }
    _ = try? await sender.send(logout, .verification(signedIn), bindings.merging(signedIn.bindings))
    renew(after: signedIn)
  }

  /// Waits until a request may be sent, and sends it.
  package func withTurn<Result: Sendable>(isWrite: Bool, _ body: () async -> Result) async -> Result {
    await lane.pass { await paced(isWrite: isWrite, body) }
  }

  private func paced<Result: Sendable>(isWrite: Bool, _ body: () async -> Result) async -> Result {
    if isWrite, api.pace.after > 0 {
      let count = state.withLock { state in
        state.writes += 1
        return state.writes
      }
      if count > api.pace.after { await transport.pause(.seconds(api.pace.gap)) }
    }
    return await body()
  }
}

extension AnswerClass {
  /// Whether another time may have another answer.
  package var isTransient: Bool { self == .throttled || self == .unreachable || self == .sealed }
}
