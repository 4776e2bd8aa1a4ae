/// A plan that was applied, or whose apply began.
package struct AppliedPlan: Hashable, Sendable, Codable {
  /// `kp1-…`.
  package let id: String
  /// The time at which its last step was recorded; of one that was not completed, that of the last commit.
  package let at: Moment
  /// Whether steps were left undone: they failed, the plan had errors, or the run ended before them.
  package let isIncomplete: Bool
  /// The command, and who ran it; nil for a plan that an earlier version of keyplan applied.
  package let invocation: Invocation?
  /// The number of steps that were done, by action.
  package let done: [String: Int]
  /// The store's serial with its last commit.
  package let serial: Int64

  package init(
    id: String, at: Moment, isIncomplete: Bool = false, invocation: Invocation? = nil, done: [String: Int] = [:],
    serial: Int64 = 0
  ) {
    (self.id, self.at, self.isIncomplete) = (id, at, isIncomplete)
    (self.invocation, self.done, self.serial) = (invocation, done, serial)
  }

  /// The number of plans that a store remembers.
  package static let limit = 100
}

extension [AppliedPlan] {
  /// Adds the latest one; a plan that was applied before counts once.
  package mutating func note(_ plan: AppliedPlan) {
    removeAll { $0.id == plan.id }
    append(plan)
    if count > AppliedPlan.limit { removeFirst(count - AppliedPlan.limit) }
  }

  /// The plan with this id, if it was applied to its end.
  package func completed(_ id: String) -> AppliedPlan? { last { $0.id == id && !$0.isIncomplete } }

  /// The same for a plan that was made at this serial: what a later change undid can be planned again, under the same id.
  package func completed(_ id: String, madeAt serial: Int64) -> AppliedPlan? {
    completed(id).flatMap { $0.serial > serial ? $0 : nil }
  }
}

/// A command that changes the store, and who ran it.
package struct Invocation: Hashable, Sendable, Codable {
  /// The command without its arguments, such as `keyplan apply`.
  package let command: String
  /// The recipient to whom the identity in use belongs; nil if none is recorded with it.
  package let recipient: Identifier<Recipient>?
  /// The CI job in which it ran; nil outside of CI.
  package let job: JobFacts?

  package init(command: String, recipient: Identifier<Recipient>?, job: JobFacts? = nil) {
    (self.command, self.recipient, self.job) = (command, recipient, job)
  }
}

/// The words of a CI service about the job in which keyplan runs. Foreign text: whoever names a branch, a user or a workflow decides on it. So it
/// is shortened, and contains no character that controls a terminal or changes the order of reading.
package struct JobFacts: Hashable, Sendable, Codable {
  /// The name of the service, such as `GitHub`.
  package let service: String
  /// The user that started the job.
  package let actor: String?
  /// The name of the workflow or the job.
  package let workflow: String?
  /// The commit that was checked out: hexadecimal digits.
  package let commit: String?
  /// The page of the run.
  package let url: String?

  /// The bytes of all texts together, unless commit and address alone need nearly as many.
  package static let limit = 200
  /// The bytes that the names have in any case.
  private static let room = 40
  private static let urlLimit = 400

  /// Takes what the service says. The names are cut so that the commit and the address are whole. A commit or an address that cannot be one
  /// is left out.
  package init(service: String, actor: String?, workflow: String?, commit: String?, url: String?) {
    self.service = service
    self.commit = commit.flatMap { Self.isCommit($0) ? $0 : nil }
    self.url = url.flatMap { Self.isAddress($0) ? $0 : nil }
    let certain = (self.commit?.utf8.count ?? 0) + (self.url?.utf8.count ?? 0)
    let room = max(Self.room, Self.limit - certain)
    let names = [actor, workflow].map { $0.map { Self.harmless($0, limit: room) } }
    // The shorter one leaves its rest to the other.
    let sizes = names.map { $0?.utf8.count ?? 0 }
    let half = room / 2
    self.actor = names[0].map { Self.cut($0, to: max(half, room - sizes[1])) }
    self.workflow = names[1].map { Self.cut($0, to: max(room - half, room - sizes[0])) }
  }

  /// Takes texts as they were recorded.
  package init(recorded service: String, actor: String?, workflow: String?, commit: String?, url: String?) {
    (self.service, self.actor, self.workflow, self.commit, self.url) = (service, actor, workflow, commit, url)
  }

  private static func isCommit(_ text: String) -> Bool {
    (7...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || (0x41...0x46).contains($0) }
  }

  /// Whether a text is the address of a page, without a user, a password or a query, which could contain a secret.
  private static func isAddress(_ text: String) -> Bool {
    guard text.utf8.count <= urlLimit, text.hasPrefix("https://") || text.hasPrefix("http://") else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
      default: "-._~:/%+".utf8.contains(byte)
      }
    }
  }

  /// The text on one line. Characters that control a terminal or are invisible, and those that mark up HTML or Markdown, are replaced.
  /// - Parameter limit: no more than about this many bytes are looked at.
  private static func harmless(_ text: String, limit: Int) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(limit + 1) {
      result.append(isHarmless(scalar) ? scalar : "?")
    }
    return String(result)
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar.value >= 0x20 && scalar.value != 0x7f && !"<>&`|\"\\".unicodeScalars.contains(scalar)
    }
    let properties = scalar.properties
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }

  /// A text of at most this many bytes, which ends between two characters, with a mark if it was longer.
  private static func cut(_ text: String, to limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var result = ""
    for character in text {
      guard result.utf8.count + character.utf8.count + mark.utf8.count <= limit else { break }
      result.append(character)
    }
    return result + mark
  }

  private static let mark = "…"
}
