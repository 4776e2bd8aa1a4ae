import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices
import Synchronization

/// GitHub through one connection during a run: its sign-ins, and how fast it is written to.
final class GitHubSession: Sendable {
  let context: ConnectionContext
  private let client: ServiceClient
  private let credentials = SharedResults<GitHubCredential>()
  private let tokens = SharedResults<SecretBox>()
  let keys = SharedResults<GitHubKey>()
  let identities = SharedResults<String>()
  private let state = Mutex(State())

  private struct State {
    var writes = 0
    var minted: [String] = []
  }

  init(_ context: ConnectionContext) {
    self.context = context
    client = ServiceClient(
      context.environment.transport(context.environment.http), pace: GitHubBackend.backend.pace ?? Pace())
  }

  private var base: String {
    let text = context.text("address") ?? ""
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  var host: String { (try? HTTPAddress(base))?.host ?? "GitHub" }

  /// A request.
  struct Call: Sendable {
    let method: HTTPRequest.Method
    let path: [String]
    var query = ""
    var body: SecretBox?
    /// Whether it is repeated only if GitHub says that it was not processed.
    var isWrite = false
    /// The address of a further page, which replaces path and query.
    var page: String?

    init(_ method: HTTPRequest.Method, _ path: [String]) {
      self.method = method
      self.path = path
    }
  }

  /// Sends a request that concerns a scope, with a token for that scope.
  func send(_ call: Call, for scope: GitHubScope) async throws(RemoteFailure) -> ClassifiedAnswer {
    if call.isWrite { await pace() }
    return await send(try request(call, try await token(for: scope)), isWrite: call.isWrite)
  }

  private func send(_ request: HTTPRequest, isWrite: Bool) async -> ClassifiedAnswer {
    let now = client.transport.now()
    return await client.send(request, at: host, isWrite: isWrite) { response, json in
      GitHubMeaning.of(response, json, now: now)
    }
  }

  /// The failure that an answer means.
  func failure(_ answer: ClassifiedAnswer, writing scope: GitHubScope? = nil) -> RemoteFailure {
    let rights = scope.map { GitHubMessages.rights($0) }
    return client.failure(answer, hint: answer.hint ?? (answer.meaning == .denied ? rights : nil))
  }

  /// GitHub blocks clients that write faster for longer.
  private func pace() async {
    let count = state.withLock { state in
      state.writes += 1
      return state.writes
    }
    if count > 50 { await client.transport.pause(.seconds(1)) }
  }

  private func request(_ call: Call, _ token: SecretBox) throws(RemoteFailure) -> HTTPRequest {
    do throws(RequestFault) {
      var text = base
      for segment in call.path { text += "/" + (try PathSegment.encode(segment, of: "path")) }
      if !call.query.isEmpty { text += "?" + call.query }
      if let page = call.page {
        // The next page gets the credential, too.
        guard page.hasPrefix(base + "/") else { throw .address }
        text = page
      }
      var request: HTTPRequest
      do throws(HTTPError) {
        request = HTTPRequest(call.method, try HTTPAddress(text))
        try request.add("Accept", .open("application/vnd.github+json"))
        try request.add("X-GitHub-Api-Version", .open("2022-11-28"))
        try request.authorize(bearer: token)
      } catch {
        throw .notAHeader("authorization")
      }
      request.body = call.body.map { HTTPBody(type: "application/json", $0) }
      request.isRepeatable = !call.isWrite
      return request
    } catch {
      throw RemoteFailure(.unreadable, RemoteMessages.reason(error))
    }
  }

  private func credential() async throws(RemoteFailure) -> GitHubCredential {
    let result = await credentials.value("") { [self] in
      do throws(RemoteFailure) {
        return .success(try await GitHubCredential(context, host: host))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The token for a scope. A GitHub App gets one for each scope, with no other right.
  private func token(for scope: GitHubScope) async throws(RemoteFailure) -> SecretBox {
    switch try await credential() {
    case .token(let token): return token
    case .app(let id, let installation, let privateKey):
      let key = "\(scope.permission) \(scope.repository ?? "")"
      let result = await tokens.value(key) { [self] in
        do throws(RemoteFailure) {
          let token = try await mint(scope, id, installation, privateKey)
          state.withLock { $0.minted.append(key) }
          return .success(token)
        } catch {
          return .failure(error)
        }
      }
      return try result.get()
    }
  }

  private func mint(
    _ scope: GitHubScope, _ id: String, _ installation: String, _ privateKey: SecretBox
  ) async throws(RemoteFailure) -> SecretBox {
    let assertion = try GitHubCredential.assertion(of: id, privateKey, now: client.transport.now())
    var call = Call(.post, ["app", "installations", installation, "access_tokens"])
    var writer = SecretWriter()
    writer.append("{")
    if let repository = scope.repository {
      writer.append(#""repositories":["#)
      JSONText.write(repository, to: &writer)
      writer.append("],")
    }
    writer.append(#""permissions":{"\#(scope.permission)":"write"}}"#)
    call.body = writer.finished()
    let answer = await send(try request(call, assertion), isWrite: false)
    guard answer.meaning == .ok,
      let token = answer.json.flatMap({ json in json.member("token").flatMap { json.secret($0) } })
    else {
      guard answer.meaning == .ok || answer.status == 404 || answer.status == 422 else { throw failure(answer) }
      throw RemoteFailure(.unauthenticated, GitHubMessages.installation(scope), hint: GitHubMessages.installationHint)
    }
    return token
  }

  func signedInAs() async -> SignedInAs {
    do throws(RemoteFailure) {
      switch try await credential() {
      case .token(let token): return try await name("login", "user", at: ["user"], token)
      case .app(let id, _, let privateKey):
        let assertion = try GitHubCredential.assertion(of: id, privateKey, now: client.transport.now())
        return try await name("slug", "app", at: ["app"], assertion)
      }
    } catch {
      return .failed(error.asAccess)
    }
  }

  private func name(
    _ field: String, _ kind: String, at path: [String], _ token: SecretBox
  ) async throws(RemoteFailure) -> SignedInAs {
    let answer = await send(try request(Call(.get, path), token), isWrite: false)
    // Tokens of apps are valid and belong to no user.
    if answer.meaning == .denied { return .unnamed }
    guard answer.meaning == .ok, let json = answer.json else { throw failure(answer) }
    return json.member(field).flatMap { json.text($0) }.map { .known("\(kind) \($0)") } ?? .unnamed
  }

  /// Revokes the tokens that this run got as an app.
  func signOut() async {
    let minted = state.withLock { state in
      defer { state.minted = [] }
      return state.minted
    }
    for key in minted {
      guard let token = await tokens.known(key),
        let request = try? request(Call(.delete, ["installation", "token"]), token)
      else { continue }
      _ = await send(request, isWrite: true)
    }
  }
}
