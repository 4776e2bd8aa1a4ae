package import KeyplanHTTP
package import KeyplanJSON
import KeyplanSecrets

/// An answer, or the lack of one, and its meaning.
package struct ClassifiedAnswer: Sendable {
  package let meaning: AnswerClass
  /// 0 if there is no response.
  package let status: Int
  package let json: JSONAnswer?
  package let response: HTTPResponse?
  package let rule: OutcomeRule?
  /// A sentence without a value.
  package let reason: String
  /// Whether the service may have processed the request.
  package var wasSent = true
  /// Whether the service did not answer before the deadline.
  private(set) var isTimeout = false
  /// The hint for the user; nil if nothing specific helps.
  package var hint: String?
  /// The pause that the service demands other than by `Retry-After`.
  private var demanded: Duration?

  /// - Parameter needsJSON: whether an empty body is not enough for a success.
  package init(_ response: HTTPResponse, _ rules: [OutcomeRule], host: String, needsJSON: Bool) {
    let json = JSONAnswer(response.body)
    let rule = rules.first { $0.applies(to: response, json) }
    self.init(response, json, rule, rule?.then ?? .unreadable, rule?.say, host: host, needsJSON: needsJSON)
  }

  /// Classified by code, and by the rules that every service has.
  package init(_ response: HTTPResponse, host: String, _ classify: ServiceClient.Classifier) {
    let json = JSONAnswer(response.body)
    let meaning = classify(response, json)
    let rule = meaning == nil ? OutcomeRule.builtIn.first { $0.applies(to: response, json) } : nil
    self.init(
      response, json, rule, meaning?.answer ?? rule?.then ?? .unreadable, meaning?.say, host: host, needsJSON: false)
    demanded = meaning?.pause
    hint = meaning?.hint
  }

  private init(
    _ response: HTTPResponse, _ json: JSONAnswer?, _ rule: OutcomeRule?, _ meaning: AnswerClass, _ say: String?,
    host: String, needsJSON: Bool
  ) {
    self.json = json
    self.response = response
    self.rule = rule
    status = response.status
    let isEmpty = response.body.count == 0
    if meaning == .ok, json == nil, needsJSON || !isEmpty {
      // A page of a proxy or a portal.
      self.meaning = .unreadable
      reason = RemoteMessages.notJSON(host)
    } else {
      self.meaning = meaning
      reason = say ?? RemoteMessages.reason(meaning, host: host, status: response.status)
    }
  }

  package init(_ error: HTTPError) {
    status = 0
    json = nil
    response = nil
    rule = nil
    meaning = error.isUnreachable ? .unreachable : .unreadable
    reason = "\(error)."
    hint = error.hint
    wasSent = error.mayHaveArrived
    isTimeout = error.isTimeout
  }

  private init(_ other: ClassifiedAnswer, meaning: AnswerClass, reason: String) {
    status = other.status
    json = other.json
    response = other.response
    rule = other.rule
    self.meaning = meaning
    self.reason = reason
  }

  /// The same with another meaning.
  package func meaning(_ meaning: AnswerClass, host: String) -> ClassifiedAnswer {
    ClassifiedAnswer(self, meaning: meaning, reason: RemoteMessages.reason(meaning, host: host, status: status))
  }

  /// The pause that the service asks for.
  package func pause(now: Int64) -> Duration? {
    if let pause = response?.pauseInHeader ?? demanded { return pause }
    guard let header = rule?.resetAt, let reset = response?.header(header).flatMap({ Int64($0) }) else { return nil }
    return .seconds(max(0, min(reset - now, 86_400)))
  }
}

extension OutcomeRule {
  package func applies(to response: HTTPResponse, _ json: JSONAnswer?) -> Bool {
    guard status.isEmpty || status.contains(where: { $0.matches(response.status) }) else { return false }
    if let text, !response.body.withBytes({ $0.contains(text) }) { return false }
    if isEmpty {
      var isNull = false
      if case .null = json?.root.content { isNull = true }
      let isBlank = response.body.withBytes { $0.allSatisfy { $0 <= 0x20 } }
      guard isBlank || isNull else { return false }
    }
    guard let evidence else { return true }
    switch evidence.place {
    case .header(let name): return evidence.test.holds(forHeader: response.header(name))
    case .pointer(let pointer):
      guard let json else { return evidence.test == .exists(false) }
      return evidence.test.holds(for: json.values(at: pointer, in: json.root), in: json)
    }
  }
}

extension OutcomeRule.Test {
  package func holds(forHeader value: String?) -> Bool {
    switch self {
    case .exists(let wanted): return (value != nil) == wanted
    case .contains(let part): return value?.contains(part) ?? false
    case .equals(let literals):
      return literals.contains { literal in
        switch literal {
        case .string(let text), .number(let text): value == text
        default: false
        }
      }
    }
  }

  package func holds(for found: [JSONNode], in answer: JSONAnswer) -> Bool {
    switch self {
    case .exists(let wanted): return found.isEmpty != wanted
    case .contains(let part): return found.contains { answer.text($0)?.contains(part) ?? false }
    case .equals(let literals): return found.contains { node in literals.contains { answer.isEqual(node, $0) } }
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func contains(_ text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
