/// The meaning of an answer.
package enum AnswerClass: String, Hashable, Sendable, CaseIterable {
  case ok
  /// Definitely not there.
  case missing
  /// Already there, though it was expected to be absent.
  case exists
  /// Not as it was when the write was decided.
  case stale
  case refused
  case denied
  case unauthenticated
  case throttled
  case sealed
  case unreachable
  case unreadable
  // Results of a check of a provider's key.
  case valid, restricted, noCredit, invalid, expired, blocked, pending, unknown

  /// Those of reading and writing.
  package static let ofSecrets: Set<AnswerClass> = [
    .ok, .missing, .exists, .stale, .refused, .denied, .unauthenticated, .throttled, .sealed, .unreachable, .unreadable,
  ]
  /// Those of a check.
  package static let ofChecks: Set<AnswerClass> = [
    .valid, .restricted, .noCredit, .invalid, .expired, .blocked, .pending, .throttled, .unknown,
  ]
}

/// The conditions for a class of answers. All of them must hold; without any, the rule always applies.
package struct OutcomeRule: Hashable, Sendable {
  package enum Status: Hashable, Sendable {
    case exactly(Int)
    /// `4xx`: by the first digit.
    case hundred(Int)

    package func matches(_ status: Int) -> Bool {
      switch self {
      case .exactly(let wanted): status == wanted
      case .hundred(let digit): status / 100 == digit
      }
    }
  }

  /// The part of the answer that is examined.
  package enum Place: Hashable, Sendable {
    case header(String)
    case pointer(AnswerPointer)
  }

  /// The requirement for this part.
  package enum Test: Hashable, Sendable {
    /// One of these.
    case equals([JSONLiteral])
    /// A string that contains this.
    case contains(String)
    /// Anything, or nothing.
    case exists(Bool)
  }

  /// One of them; none means any status.
  package var status: [Status] = []
  package var evidence: Evidence?
  /// A part of the answer's text, in any format.
  package var text: String?
  /// Whether the answer must have no body, or `null`.
  package var isEmpty = false
  package var then: AnswerClass
  /// The meaning as a sentence: the only text of a description that people see.
  package var say: String?
  /// The number of times to repeat the request even if its class does not require it.
  package var retry = 0
  /// The header with the time in seconds since 1970 from which it may be repeated.
  package var resetAt: String?

  package init(then: AnswerClass) { self.then = then }

  package struct Evidence: Hashable, Sendable {
    package let place: Place
    package let test: Test
  }

  /// Whether it looks at more than the status.
  package var hasEvidence: Bool { evidence != nil || text != nil || isEmpty }

  /// The rules that every service has. A status alone never means *missing*: a wrong address has the same.
  package static let builtIn: [OutcomeRule] = [
    rule([.exactly(403), .exactly(429), .exactly(503)], .throttled, header: "retry-after"),
    rule([.hundred(2)], .ok), rule([.exactly(401)], .unauthenticated), rule([.exactly(403)], .denied),
    rule([.exactly(404)], .unreadable), rule([.exactly(412)], .stale), rule([.exactly(429)], .throttled),
    rule([.exactly(408)], .unreachable), rule([.hundred(5)], .unreachable), rule([.hundred(4)], .refused),
    rule([.hundred(3)], .unreadable),
  ]

  private static func rule(_ status: [Status], _ then: AnswerClass, header: String? = nil) -> OutcomeRule {
    var rule = OutcomeRule(then: then)
    rule.status = status
    rule.evidence = header.map { Evidence(place: .header($0), test: .exists(true)) }
    return rule
  }
}
