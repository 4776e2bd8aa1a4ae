internal import KeyplanModel
package import KeyplanPlanning

/// A finding as text: the state, its consequence, and the fix. The only place that makes text for a fact of drift.
package struct FindingMessages {
  /// The state, without a full stop.
  package let headline: String
  /// The consequence; nil if there is none yet.
  package let consequence: String?
  /// The command that fixes it; nil if a person must do something outside first.
  package let command: String?
  /// The effect of that command, or the task for the person.
  package let fix: String
  /// Another command that fixes it, with its effect; nil if there is no choice.
  package let alternative: (command: String, fix: String)?

  /// - Parameter style: the form of times.
  package init(_ finding: Finding, style: Style = Style()) {
    self.init(FindingGroup(first: finding), style: style)
  }

  /// - Parameter style: the form of times.
  package init(_ group: FindingGroup, style: Style = Style()) {
    let finding = group.first
    let names = group.names.isEmpty ? nil : group.names.count
    alternative = Self.alternative(group)
    let renewal = Self.renewal(of: finding)
    switch finding.fact {
    case .valueChanged(let destination, let isForgotten):
      let place = destination.words
      headline = (names.map { "\($0) values differ" } ?? "value differs") + Self.inSync(finding)
      consequence =
        names == nil
        ? "programs that read \(place) get another value than the recorded one"
        : "programs that read \(place) get other values than the recorded ones"
      (command, fix) = ("keyplan apply", isForgotten ? Self.storesAgain : Self.rewrite(names))
    case .valueMissing(let destination, let isForgotten):
      let place = destination.words
      headline = (names.map { "\($0) names are missing" } ?? "missing") + " in \(place)" + Self.inSync(finding)
      consequence = "\(place) no longer provides \(names == nil ? "this key" : "these keys")"
      (command, fix) = ("keyplan apply", isForgotten ? Self.storesAgain : Self.rewrite(names))
    case .valueRewritten(let destination, let isForgotten):
      headline = "changed outside, value unknown" + (finding.since.map { "; written by keyplan on \($0.date)" } ?? "")
      consequence = "\(destination.words) may not have the recorded value"
      (command, fix) = ("keyplan apply", isForgotten ? Self.storesAgain : "writes the recorded value")
    case .valueBehind(let destination, let failure, let isSeen):
      headline =
        (names.map { "\($0) values are" } ?? "value is") + " not written to \(destination.words) yet"
        + (finding.since.map { "; stored on \($0.date)" } ?? "")
      consequence =
        failure.map(Self.words)
        ?? "\(isSeen ? "" : "by the records, ")\(destination.words) has the previous \(names == nil ? "value" : "values")"
      (command, fix) = ("keyplan apply", names == nil ? "writes the value" : "writes the values")
    case .valueUnwritten(let destination, let failure):
      headline = "\(names.map { "\($0) values were" } ?? "value was") not written to \(destination.words)"
      consequence = Self.words(failure)
      (command, fix) = ("keyplan apply", "tries again")
    case .valueLeft(let destination, let reason, let isSeen, let isReplaced):
      headline =
        "\(isSeen ? "" : "by the records, ")\(names.map { "\($0) values are" } ?? "value is") still in \(destination.words)"
        + Self.words(reason, names)
      consequence = if case .revoked = reason { "what reads \(destination.words) uses a revoked value" } else { nil }
      (command, fix) = (
        "keyplan apply",
        "\(isReplaced ? "replaces" : "removes") \(names == nil ? "it" : "them")"
      )
    case .exposed(let destination):
      let place = destination.words
      headline = "other users have access to \(place)"
      consequence = "they can read what keyplan wrote there"
      (command, fix) = (
        nil, "chmod go= -- \(ShellWord.quoted(place)), or declare its `mode` in the manifest, then: keyplan apply"
      )
    case .sourceChanged(let origin):
      headline = "\(origin ?? "its source") has a new value"
      consequence =
        "the store and the targets still have the old one" + (finding.since.map { ", stored on \($0.date)" } ?? "")
      (command, fix) = ("keyplan apply", "stores the new value")
    case .partsChanged(let parts):
      headline =
        "\(Spans.quoted(parts, showing: 4)) \(parts.count == 1 ? "has a new value" : "have new values")"
        + (finding.since.map { ", stored on \($0.date)" } ?? "")
      consequence = "it is still composed of the previous \(parts.count == 1 ? "one" : "ones")"
      (command, fix) = ("keyplan apply", "composes the value again")
    case .sourceMissing(let sources):
      headline = sources.isEmpty ? "is no longer at its source" : KeyIssue.missing(sources)
      consequence = "the recorded value is kept and used"
      (command, fix) = (nil, "put it back at its source, or correct the reference in the manifest")
    case .interrupted:
      headline = "an apply was interrupted here" + (finding.since.map { ", \(style.time($0))" } ?? "")
      consequence = "it is unknown whether this step was finished"
      (command, fix) = ("keyplan apply", "checks, and finishes it")
    case .stepFailed(let failure):
      headline = "a step of the next apply has failed since \(style.time(failure.since))"
      consequence = failure.reason
      (command, fix) = ("keyplan apply", "tries again")
    case .commandDue(let hook):
      headline =
        "its command has not succeeded since the last write" + (finding.since.map { ", \(style.time($0))" } ?? "")
      consequence = "what the command reloads may still use the previous values"
      (command, fix) = ("keyplan apply", "runs \(hook.line)")
    case .expired(let end):
      headline = "expired on \(end.date)"
      consequence = "it is served until it is replaced or retired"
      (command, fix) = renewal
    case .retired(let since):
      headline = "retired on \(since.date), and a target names it"
      consequence = "no command reads it, and no apply writes it"
      (command, fix) = renewal
    case .retiredNext:
      headline = "expired" + (finding.since.map { " on \($0.date)" } ?? "") + "; the next apply retires it"
      consequence = "it is served until it is replaced or retired"
      (command, fix) = renewal
    case .rotationDue:
      headline = "expired" + (finding.since.map { " on \($0.date)" } ?? "") + "; the next apply replaces it"
      consequence = "the current value is served until then"
      (command, fix) = ("keyplan apply", "replaces it and updates the targets")
    case .renewalDue(let end):
      headline = "expires at its provider, \(style.time(end)); the next apply renews it"
      consequence = nil
      (command, fix) = ("keyplan apply", "renews it")
    case .replacedKeyValid(let keys):
      headline = "was replaced, but \(Self.keys(keys.keys.map(\.id))) still valid at its provider"
      consequence = "the old value can still be used"
      (command, fix) = ("keyplan apply", keys.keys.count == 1 ? "revokes it" : "revokes them")
    case .mintLost(let attempt):
      headline =
        "may have an unused key at \(attempt.place.brief): the response to a request was lost"
        + ", \(style.time(attempt.began))"
      consequence = "the unused key may be valid"
      (command, fix) = ("keyplan apply", "looks for the key")
    case .expiresSoon(let limit, let end):
      headline = KeyIssue.expiring(limit, end)
      consequence = nil
      (command, fix) = renewal
    case .issuedOutdated(let issued):
      headline = "`issued: \(issued.date)` is the date of another value"
      consequence = "the current value counts from when it was stored"
      (command, fix) = (nil, "set `issued` to the date of the current value, or remove it")
    case .unexpectedFormat(let provider):
      headline = "the value does not look like a key of \(provider)"
      consequence = "it is used as it is"
      (command, fix) = (nil, "replace the value, or correct `provider` or its `format` in the manifest")
    case .lastKeyKept(let end):
      headline = "expired on \(end.date), and a slot or target has no other key"
      consequence = "it is served, with a warning, until it is replaced or retired"
      (command, fix) = renewal
    case .revoked(let revocation):
      headline = revocation.words
      consequence = "no command reads it, and no apply writes it"
      (command, fix) = renewal
    case .refusedByProvider(let check):
      headline = check.words
      consequence = "programs that use it get errors from the provider"
      (command, fix) = renewal
    case .noCredit(let check):
      headline = check.words
      consequence = "programs that use it may get errors from the provider"
      (command, fix) = ("keyplan verify", "asks the provider again, once you have added credit to the account")
    case .leaseEnded(let place):
      headline = "was revoked at \(place), or ended early"
      consequence = "programs that use it get errors from the provider"
      (command, fix) = ("keyplan apply", "has a new one made")
    case .partsDiffer(let whole, let versions):
      headline = "has parts of different keys: " + versions.map(\.words).joined(separator: ", ")
      consequence = "they do not work together; targets keep what they have"
      (command, fix) = ("keyplan keys rotate \(whole)", "has a new key made")
    case .revokedValue(let source, let revocation):
      headline = "\(KeyIssue.name(source)) has a value that was \(revocation.words)"
      consequence = "the recorded value is kept and used"
      (command, fix) = renewal
    case .valueExposed(let value):
      headline = "\(value.names) could read \(value.subject) until \(value.since?.date ?? "then"), \(value.deadline)"
      consequence = "who could read it may still use it"
      if case .calendar(let id) = finding.address {
        (command, fix) = (
          "keyplan calendar sign-out \(id)", "revokes the tokens where the service can; then sign in again"
        )
      } else {
        (command, fix) = renewal
      }
    case .slotWithoutKey(let key, let isRevoked):
      headline = "\"\(key)\" is \(isRevoked ? "revoked" : "retired"), and no other key is usable here"
      consequence = "\(finding.address) provides no key"
      (command, fix) = renewal
    case .rejectedValue(let source):
      headline = "\(KeyIssue.name(source)) still has the rejected value"
      consequence = "the recorded value is kept and used"
      (command, fix) = (nil, "put a new value where the source points, then: keyplan apply")
    case .refusedValue(let source, let check):
      headline = "\(KeyIssue.name(source)) has a new value, which \(check.words)"
      consequence = "the recorded value is kept and used"
      (command, fix) = (nil, "put a value there that the provider accepts, then: keyplan apply")
    case .originalLeft(let origin):
      headline = "the original is still at \(origin)"
      consequence = "whoever can read it has what was adopted"
      (command, fix) = ("keyplan apply", "removes it")
    case .passwordRefused, .accessRefused, .refreshRefused, .tokenRefused, .signInNeeded, .answerLost, .signInEnds,
      .policyEnds,
      .calendarRenamed,
      .calendarGone, .ownCalendarChanged, .calendarNameMoved, .calendarReplaced, .calendarUnclear:
      let words = AccountFindingMessages(finding, style)
      (headline, consequence, command, fix) = (words.headline, words.consequence, words.command, words.fix)
    }
  }

  /// The reason that values no longer belong at a target: `, and nothing declares it there`.
  private static func words(_ reason: LeftReason, _ names: Int?) -> String {
    switch reason {
    case .undeclared: ", and nothing declares \(names == nil ? "it" : "them") there"
    case .retired(let since): ", and \(names == nil ? "its key was" : "their keys were") retired on \(since.date)"
    case .revoked(let revocation): ", and was \(revocation.words)"
    }
  }

  fileprivate static func words(_ failure: StepError) -> String {
    "the last write failed" + (failure.reason.map { ": \($0)" } ?? "")
  }

  private static func alternative(_ group: FindingGroup) -> (command: String, fix: String)? {
    let address = group.first.address
    switch group.first.fact {
    case .valueChanged(_, isForgotten: true), .valueRewritten(_, isForgotten: true): return nil
    case .valueChanged where !group.names.isEmpty:
      return ("keyplan accept \(group.subject).NAME", "keeps the new value of a name")
    case .valueChanged: return ("keyplan accept \(ShellWord.quoted("\(address)"))", "keeps the new value")
    case .valueRewritten:
      return ("keyplan accept \(ShellWord.quoted("\(address)"))", "keeps what is there until the key changes")
    case .rejectedValue: return ("keyplan accept \(address)", "stores the one at the source")
    case .refusedValue: return ("keyplan apply --verify", "asks the provider again")
    default: return nil
    }
  }

  private static func renewal(of finding: Finding) -> (command: String?, fix: String) {
    guard let of = finding.renewal else { return (nil, Renewal.atSource) }
    return of.renewal.fix(for: of.key)
  }

  /// The fix of a target whose key has no record.
  private static let storesAgain = "stores the key again, and writes its value"

  private static func rewrite(_ names: Int?) -> String {
    names == nil ? "writes the recorded value" : "writes the recorded values"
  }

  private static func keys(_ ids: [String]) -> String {
    "\(Spans.list(ids, showing: 3)) \(ids.count == 1 ? "is" : "are")"
  }

  private static func inSync(_ finding: Finding) -> String {
    finding.since.map { "; last in sync \($0.date)" } ?? ""
  }
}

extension Finding {
  /// The subject of this case, in addition to the text of its kind, for documents: a place, a source, or a sentence.
  package var detail: String? {
    switch fact {
    case .valueChanged(let place, _), .valueMissing(let place, _), .valueRewritten(let place, _), .exposed(let place),
      .valueBehind(let place, nil, _), .valueLeft(let place, .undeclared, _, _):
      place.location
    case .valueBehind(let place, let failure?, _), .valueUnwritten(let place, let failure):
      "\(place.location): \(FindingMessages.words(failure))"
    case .valueLeft(let place, .revoked(let revocation), _, _): "\(place.location): \(revocation.words)"
    case .valueLeft(let place, .retired(let since), _, _): "\(place.location): retired on \(since.date)"
    case .sourceChanged(let origin): origin
    case .partsChanged(let parts): parts.map(\.name).joined(separator: ", ")
    case .originalLeft(let origin): origin
    case .interrupted: nil
    case .stepFailed(let failure): failure.reason
    case .commandDue(let hook): hook.line
    case .retiredNext: "It is retired by the next apply."
    case .rotationDue: "The next apply replaces it."
    case .slotWithoutKey(let key, let isRevoked): "\"\(key)\" is \(isRevoked ? "revoked" : "retired")"
    case .valueExposed(let value): "\(value.names), \(value.deadline)"
    case .revoked, .refusedByProvider, .noCredit, .retired, .leaseEnded, .revokedValue, .sourceMissing, .expired,
      .expiresSoon, .lastKeyKept,
      .renewalDue, .replacedKeyValid, .mintLost, .partsDiffer:
      sentence
    case .rejectedValue, .refusedValue, .issuedOutdated, .unexpectedFormat:
      FindingMessages(self).headline.capitalizedFirst + "."
    case .passwordRefused, .accessRefused, .refreshRefused, .tokenRefused, .signInNeeded, .answerLost, .signInEnds,
      .policyEnds,
      .calendarRenamed, .calendarGone, .ownCalendarChanged, .calendarNameMoved, .calendarReplaced, .calendarUnclear:
      FindingMessages(self).headline
    }
  }

  private var sentence: String {
    let words = FindingMessages(self).headline
    guard case .key(let id) = address else { return words.capitalizedFirst + "." }
    return "\"\(id)\" \(words)."
  }
}
