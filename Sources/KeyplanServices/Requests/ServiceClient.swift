package import KeyplanHTTP
package import KeyplanJSON
package import KeyplanModel
import KeyplanPorts

/// Sends the requests of a service with code of its own: repeats what may be repeated, and waits when the service demands it.
package struct ServiceClient: Sendable {
  package let transport: RemoteTransport
  private let patience: Duration
  private let lane: Lane
  private let untrustedHint: String?

  /// - Parameter untrustedHint: the hint if the server's certificate is not trusted; nil if only `SSL_CERT_FILE` helps.
  package init(_ transport: RemoteTransport, pace: Pace, untrustedHint: String? = nil) {
    self.transport = transport
    self.untrustedHint = untrustedHint
    patience = pace.patience
    lane = Lane(width: pace.concurrency)
  }

  /// The meaning of a response beyond the rules that all services have; nil to apply only those.
  package typealias Classifier = @Sendable (HTTPResponse, JSONAnswer?) -> Meaning?

  package struct Meaning: Sendable {
    package var answer: AnswerClass
    /// A sentence that replaces the usual reason.
    package var say: String?
    package var hint: String?
    /// The pause that the service demands other than by `Retry-After`.
    package var pause: Duration?

    package init(_ answer: AnswerClass, say: String? = nil, hint: String? = nil, pause: Duration? = nil) {
      self.answer = answer
      self.say = say
      self.hint = hint
      self.pause = pause
    }
  }

  /// - Parameters:
  ///   - host: the service in the words of messages.
  ///   - isWrite: whether it is repeated only if the service says that it was not processed.
  package func send(
    _ request: HTTPRequest, at host: String, isWrite: Bool = false, classify: Classifier
  ) async -> ClassifiedAnswer {
    var budget = RetryBudget(patience: patience)
    while true {
      let answer = await exchange(request, at: host, classify)
      budget.countTransmission()
      let isPassing = answer.meaning == .throttled || (answer.meaning == .unreachable && !isWrite)
      guard isPassing, !answer.isTimeout, let pause = budget.pause(asked: answer.pause(now: transport.now())) else {
        return answer
      }
      await transport.pause(pause)
    }
  }

  private func exchange(
    _ request: HTTPRequest, at host: String, _ classify: Classifier
  ) async -> ClassifiedAnswer {
    await lane.pass {
      do throws(HTTPError) {
        return ClassifiedAnswer(try await transport.send(request), host: host, classify)
      } catch {
        var answer = ClassifiedAnswer(error)
        if error.code == .tls(.untrusted), let untrustedHint { answer.hint = untrustedHint }
        return answer
      }
    }
  }

  /// The failure that an answer means.
  package func failure(_ answer: ClassifiedAnswer, hint: String? = nil) -> RemoteFailure {
    let pause = answer.meaning == .throttled ? answer.pause(now: transport.now()) : nil
    return RemoteFailure(
      answer.meaning, answer.reason, hint: hint ?? answer.hint,
      retryAfter: pause.map { Interval(seconds: $0.components.seconds) })
  }
}
