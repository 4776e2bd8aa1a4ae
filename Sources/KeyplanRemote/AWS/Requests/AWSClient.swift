import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Sends signed requests to one service, classifies the answers, and repeats what may be repeated.
struct AWSClient: Sendable {
  let endpoint: AWSEndpoint
  let transport: RemoteTransport
  let lane: Lane
  /// Nil for the few requests of STS that are made without a credential.
  let signIn: AWSSignIn?

  enum Purpose: Sendable {
    /// May be repeated.
    case read
    /// Is repeated only if the service says that it did nothing.
    case write
    /// Is sent once, whatever the answer is: each time it would make another key.
    case mint
  }

  /// Calls an action of a service with JSON.
  func call(_ action: String, _ body: JSONBody, _ purpose: Purpose = .read) async throws(AWSError) -> JSONAnswer {
    let target = endpoint.service.targetPrefix.map { "\($0).\(action)" }
    let response = try await send(
      HTTPBody(type: "application/x-amz-json-1.1", body.bytes()), target: target, action, purpose)
    guard let json = JSONAnswer(response.body) else {
      throw error(.unreadable, RemoteMessages.notJSON(endpoint.address.host), arrived: purpose != .read)
    }
    return json
  }

  /// Calls an action of a service with the query protocol.
  func query(
    _ action: String, _ parameters: [(name: String, value: HTTPValue)] = [], _ purpose: Purpose = .read
  ) async throws(AWSError) -> HTTPResponse {
    var fields: [(name: String, value: HTTPValue)] = [("Action", .open(action))]
    if let version = endpoint.service.queryVersion { fields.append(("Version", .open(version))) }
    return try await send(HTTPBody.form(fields + parameters), target: nil, action, purpose)
  }

  private func send(
    _ body: HTTPBody, target: String?, _ action: String, _ purpose: Purpose
  ) async throws(AWSError) -> HTTPResponse {
    var budget = RetryBudget(firstPause: .milliseconds(300))
    var isRenewed = false
    while true {
      let credentials = try await credentials()
      let request = try made(body, target: target, credentials, purpose)
      budget.countTransmission()
      let (result, asked) = await exchange(request, action, purpose)
      let failed: AWSError
      switch result {
      case .success(let response): return response
      case .failure(let error): failed = error
      }
      guard purpose != .mint else { throw failed }
      if failed.code.hasPrefix("ExpiredToken"), let credentials, let signIn, !isRenewed {
        isRenewed = true
        signIn.renew(after: credentials)
        continue
      }
      let isPassing = failed.answer == .throttled || (failed.answer == .unreachable && purpose == .read)
      guard isPassing, !failed.isTimeout, let pause = budget.pause(asked: asked) else { throw failed }
      await transport.pause(pause)
    }
  }

  private func credentials() async throws(AWSError) -> AWSCredentials? {
    guard let signIn else { return nil }
    do throws(RemoteFailure) {
      return try await signIn.credentials()
    } catch {
      throw AWSError(failure: error)
    }
  }

  private func made(
    _ body: HTTPBody, target: String?, _ credentials: AWSCredentials?, _ purpose: Purpose
  ) throws(AWSError) -> HTTPRequest {
    var request = HTTPRequest(.post, endpoint.address)
    request.body = body
    // libcurl repeats a repeatable request by itself if a kept connection turns out to be closed.
    request.isRepeatable = purpose == .read
    var headers: [(name: String, value: HTTPValue)] = []
    // Only XML answers of IAM are documented.
    if endpoint.service != .iam { headers.append(("accept", .open("application/json"))) }
    if let target { headers.append(("x-amz-target", .open(target))) }
    do throws(HTTPError) {
      for (name, value) in headers { try request.add(name, value) }
      guard let credentials else { return request }
      let signer = SigV4(
        credentials, region: endpoint.region, service: endpoint.service.rawValue, date: transport.now())
      headers += [("content-type", .open(body.type)), ("host", .open(endpoint.host))]
      let authorization = signer.authorization(
        SigV4.Request(method: "POST", headers: headers, body: body.bytes))
      try request.add("x-amz-date", .open(signer.date))
      if let token = credentials.sessionToken { try request.add("x-amz-security-token", .secret(token)) }
      try request.add("authorization", .open(authorization))
      return request
    } catch {
      throw self.error(.unauthenticated, "\(error).", arrived: false)
    }
  }

  private func exchange(
    _ request: HTTPRequest, _ action: String, _ purpose: Purpose
  ) async -> (Result<HTTPResponse, AWSError>, pause: Duration?) {
    await lane.pass {
      do throws(HTTPError) {
        let response = try await transport.send(request)
        guard response.status != 200 else { return (.success(response), nil) }
        return (.failure(failure(response, action, purpose)), response.pauseInHeader)
      } catch {
        let failure = RemoteFailure(
          error.isUnreachable ? .unreachable : .unreadable, "\(error).", hint: error.hint)
        return (
          .failure(AWSError(failure: failure, mayHaveArrived: error.mayHaveArrived, isTimeout: error.isTimeout)), nil
        )
      }
    }
  }

  private func failure(_ response: HTTPResponse, _ action: String, _ purpose: Purpose) -> AWSError {
    let body = AWSErrorBody(response)
    var error = failure(body, action, status: response.status)
    if error.answer == .unauthenticated || body.isAboutTime, let theirs = response.serverTime {
      let difference = transport.now() - theirs
      if abs(difference) > 300 || body.isAboutTime {
        let failure = RemoteFailure(
          .unauthenticated, AWSMessages.clock(endpoint.address.host, minutes: difference / 60),
          hint: AWSMessages.setClock)
        error = AWSError(failure: failure, code: body.code)
      }
    }
    if error.answer == .throttled, let pause = response.pauseInHeader {
      let failure = RemoteFailure(
        .throttled, error.failure.reason, hint: error.failure.hint,
        retryAfter: Interval(seconds: pause.components.seconds))
      error = AWSError(failure: failure, code: body.code)
    }
    error.status = response.status
    error.mayHaveArrived = purpose != .read && response.status >= 500 && error.answer != .throttled
    return error
  }

  /// The meaning of an error of the service, also of one for a single entry in a list.
  func failure(_ body: AWSErrorBody, _ action: String, status: Int = 400) -> AWSError {
    let meaning = body.meaning(status: status)
    let host = endpoint.address.host
    var reason = RemoteMessages.reason(meaning, host: host, status: status)
    var hint: String?
    switch meaning {
    case .missing where body.isDeleted: reason = AWSMessages.scheduledForDeletion
    case .denied where body.isAboutKMS:
      reason = AWSMessages.deniedKey
      hint = AWSMessages.allowKey
    case .denied: hint = AWSMessages.allow(endpoint.service.right(action))
    case .unauthenticated where body.isExpired:
      reason = AWSMessages.expired
      hint = AWSMessages.signInAgain
    case .refused:
      if let known = AWSMessages.refusal(body.code, host: host) { (reason, hint) = (known.reason, known.hint) }
    default: break
    }
    return AWSError(failure: RemoteFailure(meaning, reason, hint: hint), code: body.code, isDeleted: body.isDeleted)
  }

  private func error(_ answer: AnswerClass, _ reason: String, arrived: Bool) -> AWSError {
    AWSError(failure: RemoteFailure(answer, reason), mayHaveArrived: arrived)
  }
}
