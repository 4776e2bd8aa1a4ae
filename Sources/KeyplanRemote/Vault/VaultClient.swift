import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices
import Synchronization

/// Sends the requests of one connection: logs in once, classifies answers, and repeats what may be repeated.
final class VaultClient: Sendable {
  let context: ConnectionContext
  let mounts = VaultMounts()
  /// The secret id of a wrapping token, which can be used once.
  let unwrapped = SharedResults<SecretBox>()
  private let servers = SharedResults<VaultServer>()
  private let logins = SharedResults<VaultToken>()
  private let checks = SharedResults<Bool>()
  private let lane = Lane(width: VaultClient.concurrency)
  private let state = Mutex(State())

  static let concurrency = 16

  private struct State {
    /// Counts logins: a token that is rejected is replaced.
    var generation = 0
    /// The tokens of this run's logins that can be revoked.
    var issued: [SecretBox] = []
    /// The node that the server redirected to.
    var activeNode: String?
    /// Whether a token that was just issued may not look itself up, so that a 403 to that says nothing.
    var cannotLookUp = false
  }

  init(_ context: ConnectionContext) { self.context = context }

  /// The connection's server; its files are read with the first request.
  func server() async throws(RemoteFailure) -> VaultServer {
    try await servers.value("") { [context] in
      do throws(RemoteFailure) { return .success(try await VaultServer(context)) } catch { return .failure(error) }
    }.get()
  }

  /// Logs in unless that has been done.
  func token() async throws(RemoteFailure) -> VaultToken {
    let generation = state.withLock { $0.generation }
    return try await logins.value("\(generation)") { [self] in
      do throws(RemoteFailure) {
        let token = try await VaultLogin(client: self).token(generation)
        if token.isRevocable { state.withLock { $0.issued.append(token.secret) } }
        return .success(token)
      } catch {
        return .failure(error)
      }
    }.get()
  }

  /// Sends a request with the connection's token.
  /// - Returns: an answer of any meaning but `unauthenticated`.
  /// - Throws: `RemoteFailure` if there is no token, or it was rejected.
  func send(_ request: VaultRequest) async throws(RemoteFailure) -> VaultAnswer {
    var isRenewed = false
    while true {
      let token = try await token()
      let answer = try await send(request, with: token.secret)
      guard answer.meaning == .denied, await !isValid(token, answer) else { return answer }
      guard token.isOurs else {
        throw RemoteFailure(
          .unauthenticated, VaultMessages.rejectedToken(try await server().host), hint: VaultMessages.rejectedTokenHint)
      }
      if isRenewed {
        // The second login has just succeeded: the request was denied, and so was looking that up.
        state.withLock { $0.cannotLookUp = true }
        return answer
      }
      isRenewed = true
      state.withLock { if $0.generation == token.generation { $0.generation += 1 } }
    }
  }

  /// Sends a request with this token, or without one, and repeats it as far as its answers and the run's patience allow.
  func send(_ request: VaultRequest, with token: SecretBox?) async throws(RemoteFailure) -> VaultAnswer {
    let server = try await server()
    var budget = RetryBudget()
    while true {
      let answer = try await exchange(request, token, server)
      budget.countTransmission()
      let isPassing = answer.isRepeatable || (answer.meaning == .unreachable && request.isRepeatable)
      guard isPassing, !answer.isTimeout, let pause = budget.pause(asked: answer.pause) else { return answer }
      await server.transport.pause(pause)
    }
  }

  /// Sends a request once, and once more to the active node if a standby node names one that the connection lists.
  private func exchange(
    _ request: VaultRequest, _ token: SecretBox?, _ server: VaultServer
  ) async throws(RemoteFailure) -> VaultAnswer {
    let base = node(of: server)
    let answer = try await transmit(request, token, to: base, server)
    guard let node = answer.redirection.flatMap({ server.node(of: $0) }), node != base else { return answer }
    state.withLock { $0.activeNode = node }
    return try await transmit(request, token, to: node, server)
  }

  /// Sends a request once, whatever its answer is.
  func sendOnce(_ request: VaultRequest, with token: VaultToken) async throws(RemoteFailure) -> VaultAnswer {
    let server = try await server()
    return try await transmit(request, token.secret, to: node(of: server), server)
  }

  /// The address of the node that requests go to.
  private func node(of server: VaultServer) -> String { state.withLock { $0.activeNode } ?? server.base }

  private func transmit(
    _ request: VaultRequest, _ token: SecretBox?, to base: String, _ server: VaultServer
  ) async throws(RemoteFailure) -> VaultAnswer {
    let made: HTTPRequest
    do throws(HTTPError) {
      made = try request.made(at: base, namespace: server.namespace, token: token)
    } catch {
      throw RemoteFailure(.unauthenticated, "\(error).", hint: error.hint)
    }
    return await lane.pass {
      do throws(HTTPError) {
        return VaultAnswer(try await server.transport.send(made), host: server.host)
      } catch {
        return VaultAnswer(error)
      }
    }
  }

  /// Whether a token is valid although a request was denied: a denied request and a rejected token have the same answer.
  private func isValid(_ token: VaultToken, _ answer: VaultAnswer) async -> Bool {
    if state.withLock({ $0.cannotLookUp }) { return true }
    // A token can expire: its check is reused for seconds only.
    let period = ((try? await server().transport.now()) ?? 0) / 5
    let result = await checks.value("\(token.generation) \(period)") { [self] in
      do throws(RemoteFailure) {
        return .success(try await send(Self.lookUp, with: token.secret).meaning != .denied)
      } catch {
        return .success(true)
      }
    }
    return (try? result.get()) ?? true
  }

  static let lookUp = VaultRequest.get(["auth", "token", "lookup-self"])

  /// The owner of the token, in the server's words.
  func signedInAs() async -> SignedInAs {
    do throws(RemoteFailure) {
      return try await owner()
    } catch {
      return .failed(error.asAccess)
    }
  }

  private func owner() async throws(RemoteFailure) -> SignedInAs {
    let token = try await token()
    let answer = try await send(Self.lookUp, with: token.secret)
    guard answer.meaning == .ok, let json = answer.json else {
      if answer.meaning != .denied { throw answer.failure() }
      if token.isOurs { return .unnamed }
      throw RemoteFailure(
        .unauthenticated, VaultMessages.rejectedToken(try await server().host), hint: VaultMessages.rejectedTokenHint)
    }
    let policies = (json["data", "policies"]?.elements ?? []).compactMap { json.text($0) }
    let name = json["data", "display_name"].flatMap { json.text($0) } ?? ""
    let words = (name.isEmpty ? [] : [name]) + (policies.isEmpty ? [] : ["policies"]) + policies
    let text = words.map { QuotedWord.quoted(String($0.prefix(100))) }.joined(separator: " ")
    return text.isEmpty ? .unnamed : .known(text)
  }

  /// Revokes the tokens of this run's logins. A request after it logs in again.
  func signOut() async {
    let issued = state.withLock { state in
      defer { state.issued = [] }
      if !state.issued.isEmpty { state.generation += 1 }
      return state.issued
    }
    for token in issued { _ = try? await send(.post(["auth", "token", "revoke-self"]), with: token) }
  }
}
