import KeyplanHTTP
import KeyplanModel

/// Sends the requests of one place: signs in, classifies answers, and repeats what may be repeated.
package struct RequestSender: Sendable {
  package let connection: ConnectionSession
  package let builder: RequestBuilder

  package enum Purpose {
    /// May be repeated.
    case read
    /// Is sent once, unless the service says that it was not processed.
    case write
    /// Is sent once, whatever the answer is: each time it would make another key.
    case mint
    /// Without a credential. May be repeated: nothing lasts of it but a token.
    case login
    /// With this credential, even if it was rejected.
    case verification(ConnectionSession.SignedIn)

    package var isRepeatable: Bool {
      switch self {
      case .read, .login: true
      case .write, .mint, .verification: false
      }
    }

    /// Whether it may be sent again after an answer that says that it was not processed.
    package var mayBeSentAgain: Bool { if case .mint = self { false } else { true } }
  }

  /// Sends a request, and repeats it as far as its class, the service's wishes and the run's patience allow.
  /// - Throws: `RemoteFailure` if it cannot be built or the sign-in failed.
  package func send(
    _ request: SecretAPI.Request, _ purpose: Purpose, _ bindings: Bindings, _ sets: ItemSets = [:],
    page: RequestBuilder.PageStep? = nil, needsJSON: Bool = false
  ) async throws(RemoteFailure) -> ClassifiedAnswer {
    var budget = RetryBudget(patience: .seconds(connection.api.pace.patience))
    var isRenewed = false
    while true {
      let signedIn = try await self.signedIn(for: purpose)
      let made = try make(request, bindings, sets, signedIn, page, purpose)
      var answer = await exchange(made, request, purpose, needsJSON: needsJSON)
      budget.countTransmission()
      if case .verification = purpose { return answer }
      if let signedIn {
        if answer.meaning == .unauthenticated, signedIn.method.isRenewable, !isRenewed, purpose.mayBeSentAgain {
          isRenewed = true
          connection.renew(after: signedIn)
          continue
        }
        if answer.meaning == .denied, await !connection.isValid(signedIn, self) {
          answer = answer.meaning(.unauthenticated, host: builder.host)
        }
      }
      guard isRepeated(after: answer, purpose, tries: budget.tries),
        let pause = budget.pause(asked: answer.pause(now: connection.transport.now()))
      else { return answer }
      await connection.transport.pause(pause)
    }
  }

  private func signedIn(for purpose: Purpose) async throws(RemoteFailure) -> ConnectionSession.SignedIn? {
    switch purpose {
    case .login: nil
    case .verification(let signedIn): signedIn
    case .read, .write, .mint: try await connection.signIn(self)
    }
  }

  private func make(
    _ request: SecretAPI.Request, _ bindings: Bindings, _ sets: ItemSets, _ signedIn: ConnectionSession.SignedIn?,
    _ page: RequestBuilder.PageStep?, _ purpose: Purpose
  ) throws(RemoteFailure) -> HTTPRequest {
    do throws(RequestFault) {
      let all = signedIn.map { bindings.merging($0.bindings) } ?? bindings
      return try builder.request(
        request, all, sets, signedBy: signedIn?.method.credential, page: page, isRepeatable: purpose.isRepeatable,
        at: connection.transport.now())
    } catch {
      throw RemoteFailure(.refused, RemoteMessages.reason(error))
    }
  }

  private func exchange(
    _ made: HTTPRequest, _ request: SecretAPI.Request, _ purpose: Purpose, needsJSON: Bool
  ) async -> ClassifiedAnswer {
    let rules = request.outcomes + connection.api.outcomes + OutcomeRule.builtIn
    let isWrite =
      switch purpose {
      case .write, .mint: true
      case .read, .login, .verification: false
      }
    return await connection.withTurn(isWrite: isWrite) {
      do throws(HTTPError) {
        let response = try await connection.transport.send(made)
        return ClassifiedAnswer(response, rules, host: made.address.host, needsJSON: needsJSON)
      } catch {
        return ClassifiedAnswer(error)
      }
    }
  }

  private func isRepeated(after answer: ClassifiedAnswer, _ purpose: Purpose, tries: Int) -> Bool {
    guard purpose.mayBeSentAgain else { return false }
    let isPassing = answer.meaning == .throttled || (answer.meaning == .unreachable && purpose.isRepeatable)
    return !answer.isTimeout && (isPassing || tries <= answer.rule?.retry ?? 0)
  }

  /// The failure that an answer means.
  package func failure(_ answer: ClassifiedAnswer, writing: Bool = false) -> RemoteFailure {
    let rights = connection.api.rights
    let hint = answer.meaning == .denied ? (writing ? rights?.write : rights?.read) : nil
    let pause = answer.meaning == .throttled ? answer.pause(now: connection.transport.now()) : nil
    return RemoteFailure(
      answer.meaning, answer.reason, hint: hint, retryAfter: pause.map { Interval(seconds: $0.components.seconds) })
  }
}
