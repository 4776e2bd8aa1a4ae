import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices
import Synchronization

/// One cluster during a run, with the credential for it.
final class ClusterSession: Sendable {
  let access: ClusterAccess
  private let environment: RemoteEnvironment
  private let signIns = SharedResults<SignedIn>()
  private let generation = Mutex(0)

  /// A credential, and the client that presents its certificate.
  private struct SignedIn: Sendable {
    let client: ServiceClient
    let authorization: HTTPValue?
    let end: Int64?
    let generation: Int
  }

  init(_ access: ClusterAccess, _ environment: RemoteEnvironment) {
    self.access = access
    self.environment = environment
  }

  var host: String { access.host }

  /// A request to the API server.
  struct Call: Sendable {
    let method: HTTPRequest.Method
    let path: [String]
    var query: [(name: String, value: String)] = []
    var body: HTTPBody?
    /// Whether it is repeated only if the server says that it was not processed.
    var isWrite = false

    init(_ method: HTTPRequest.Method, _ path: [String]) {
      self.method = method
      self.path = path
    }
  }

  /// Sends a request, and signs in again once if the credential is rejected and can be replaced.
  /// - Throws: the reason that it cannot be sent.
  func send(_ call: Call) async throws(RemoteFailure) -> ClassifiedAnswer {
    var isRenewed = false
    while true {
      let signedIn = try await signIn()
      let request = try request(call, signedIn)
      let answer = await signedIn.client.send(request, at: host, isWrite: call.isWrite) { response, json in
        Self.meaning(response, json)
      }
      guard answer.meaning == .unauthenticated, access.identity.isRenewable, !isRenewed else { return answer }
      isRenewed = true
      renew(after: signedIn)
    }
  }

  /// The failure that an answer means.
  func failure(_ answer: ClassifiedAnswer, hint: String? = nil) -> RemoteFailure {
    let wait = answer.meaning == .throttled ? answer.pause(now: 0) : nil
    return RemoteFailure(
      answer.meaning, answer.reason, hint: hint ?? answer.hint,
      retryAfter: wait.map { Interval(seconds: $0.components.seconds) })
  }

  private func request(_ call: Call, _ signedIn: SignedIn) throws(RemoteFailure) -> HTTPRequest {
    do throws(RequestFault) {
      var text = access.base
      for segment in call.path { text += "/" + (try PathSegment.encode(segment, of: "name")) }
      if !call.query.isEmpty {
        text += "?" + call.query.map { "\($0.name)=\(PathSegment.encode($0.value))" }.joined(separator: "&")
      }
      var request: HTTPRequest
      do throws(HTTPError) {
        request = HTTPRequest(call.method, try HTTPAddress(text))
        try request.add("Accept", .open("application/json"))
        if let authorization = signedIn.authorization { try request.add("Authorization", authorization) }
        for (header, value) in access.impersonation { try request.add(header, .open(value)) }
      } catch {
        throw .notAHeader("authorization")
      }
      request.body = call.body
      request.isRepeatable = !call.isWrite
      return request
    } catch {
      throw RemoteFailure(.unreadable, RemoteMessages.reason(error))
    }
  }

  /// Failures of Kubernetes have a `Status` as their body; anything else is from something in between.
  private static func meaning(_ response: HTTPResponse, _ json: JSONAnswer?) -> ServiceClient.Meaning? {
    let reason = json?.member("reason").flatMap { json?.text($0) }
    let isStatus = json?.member("kind").flatMap { json?.text($0) } == "Status"
    switch (response.status, reason) {
    case (200...299, _): return nil
    case (404, "NotFound") where isStatus:
      let kind = json?.member("details", "kind").flatMap { json?.text($0) }
      return .init(kind == "secrets" ? .missing : .refused)
    case (403, "Forbidden") where isStatus && isTerminating(json):
      return .init(.refused, say: KubernetesMessages.terminating)
    case (404, _) where !isStatus, (403, _) where !isStatus && response.header("retry-after") == nil:
      return .init(.unreadable)
    case (409, _): return .init(.stale)
    case (415, _): return .init(.refused, say: KubernetesMessages.noServerSideApply)
    case (422, _): return .init(.refused, say: KubernetesMessages.invalid)
    default: return nil
    }
  }

  /// Whether an answer is about a namespace in which nothing can be created any more.
  private static func isTerminating(_ json: JSONAnswer?) -> Bool {
    guard let json else { return false }
    return json.elements(json.member("details", "causes")).contains { cause in
      json.member("reason", in: cause).flatMap { json.text($0) } == "NamespaceTerminating"
    }
  }

  private func signIn() async throws(RemoteFailure) -> SignedIn {
    let signedIn = try await known()
    // A credential that is about to expire is replaced before it is rejected.
    if let end = signedIn.end, end <= signedIn.client.transport.now() + 10 {
      renew(after: signedIn)
      return try await known()
    }
    return signedIn
  }

  private func known() async throws(RemoteFailure) -> SignedIn {
    let number = generation.withLock { $0 }
    let result = await signIns.value("\(number)") { [self] in
      do throws(RemoteFailure) {
        return .success(try await makeSignIn(number))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func renew(after signedIn: SignedIn) {
    generation.withLock { if $0 == signedIn.generation { $0 += 1 } }
  }

  private func makeSignIn(_ generation: Int) async throws(RemoteFailure) -> SignedIn {
    var authorization: HTTPValue?
    var certificate: ClientCertificate?
    var end: Int64?
    switch access.identity {
    case .anonymous: break
    case .token(let token): authorization = .secret(token, after: "Bearer ")
    case .tokenFile(let path):
      authorization = .secret(try await environment.requiredFile(path), after: "Bearer ")
    case .certificate(let own): certificate = own
    case .password(let user, let password):
      let pair = SecretWriter.joined(user + ":", password).withBytes { SecretBase64.text(of: $0) }
      authorization = .secret(pair, after: "Basic ")
    case .program(let program):
      let credential = try await program.credential(in: environment)
      authorization = credential.token.map { .secret($0, after: "Bearer ") }
      certificate = credential.certificate
      end = credential.end
    }
    let settings = try access.settings(environment.http, certificate: certificate)
    let pace = KubernetesBackend.backend.pace ?? Pace()
    return SignedIn(
      client: ServiceClient(
        environment.transport(settings), pace: pace, untrustedHint: KubernetesMessages.untrustedHint),
      authorization: authorization, end: end, generation: generation)
  }

  func signedInAs() async throws(RemoteFailure) -> SignedInAs {
    var call = Call(.post, ["apis", "authentication.k8s.io", "v1", "selfsubjectreviews"])
    let review = #"{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}"#
    call.body = HTTPBody(type: "application/json", SecretBox(Array(review.utf8)))
    let answer = try await send(call)
    if answer.status == 404 { return .unnamed }
    guard answer.meaning == .ok, let json = answer.json else { throw failure(answer) }
    guard let name = json.member("status", "userInfo", "username").flatMap({ json.text($0) }) else { return .unnamed }
    return .known(name)
  }
}

extension SecretWriter {
  static func joined(_ text: String, _ secret: SecretBox) -> SecretBox {
    var writer = SecretWriter()
    writer.append(text)
    writer.append(secret)
    return writer.finished()
  }
}
