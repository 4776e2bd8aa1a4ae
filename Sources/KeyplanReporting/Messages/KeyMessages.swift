package import KeyplanModel
internal import KeyplanPlanning

extension KeyIssue {
  /// - Parameter renewal: the way in which the key gets a new value; nil if it is not declared.
  func message(_ id: Identifier<Key>, renewal way: Renewal? = nil) -> Message {
    let renewal = (way ?? Renewal(.source)).sentence(for: id)
    let parts = way?.parts ?? []
    return switch self {
    case .notFound(let sources, let reason):
      Message(
        "\"\(id)\" has no value at \(sources.map(\.description).joined(separator: ", then "))."
          + (reason.map { " \($0)" } ?? ""),
        hint: "Put the value where the source points, or correct the reference.")
    case .noValue: Message("\"\(id)\" has no source and no value yet.", hint: "keyplan keys set \(id)")
    case .partsMissing(let missing):
      Message(
        "\"\(id)\" is \(Self.composed(of: parts.isEmpty ? missing : parts)), and "
          + (missing.count == 1
            ? "\"\(missing[0])\" has no value yet." : "these have no value yet: \(Spans.quoted(missing))."),
        hint: "Give \(missing.count == 1 ? "it" : "them") a value, and plan again.")
    case .partUnusable(let serving):
      Message(
        "\"\(id)\" is \(Self.composed(of: parts)), and \(serving.partWords ?? "one of these cannot be used").",
        hint: Renewal(.composed(serving.part.map { [$0] } ?? parts)).sentence(for: id))
    case .madeOfParts(let parts):
      Message(
        "The value of \"\(id)\" is \(Self.composed(of: parts)): each apply makes it of their current values.",
        hint: "Change one of them: keyplan keys rollback \(parts.first?.name ?? "NAME"), or keyplan accept.")
    case .containsPurged(let part):
      Message(
        "The current value of \"\(id)\" is still made of the deleted value of \"\(part)\".",
        hint: Self.replacing(valueOf: id, way, renewal) + " Then delete the earlier value: keyplan keys purge \(id)")
    case .noSource: Message("\"\(id)\" has no source.", hint: "Set a value instead: keyplan keys set \(id)")
    case .sourceFailed(let source, let failure, let recorded):
      Message(
        "\(Self.name(source)) for \"\(id)\": \(failure.reason)"
          + (recorded.map { $0 ? " The recorded value is kept." : " No value is recorded." } ?? ""),
        hint: failure.advice)
    case .nothingToAdopt(let source):
      Message(
        "\"\(id)\" has no source, and there is no value at \(source) to adopt.",
        hint: "Correct the migration, or set a value: keyplan keys set \(id)")
    case .sourceNotRun(let source):
      Message(
        "\(Self.name(source)) for \"\(id)\" runs files of an untrusted checkout, so planning does not run it. "
          + "The recorded value is kept.")
    case .sourceUntrusted:
      Message(
        "The source of \"\(id)\" is not read in an untrusted checkout.", hint: "Run this in a trusted checkout.")
    case .sourceNotAllowed(let source):
      Message("\(Self.name(source)) is not allowed yet.", hint: Message.allow)
    case .sourceMissing(let sources):
      Message("\"\(id)\" \(Self.missing(sources)).", hint: "The recorded value is kept. " + Self.restoration)
    case .rejectedValue(let source):
      Message(
        "\(Self.name(source)) still has the value of \"\(id)\" that was replaced by `keyplan accept` or a rollback. keyplan ignores it.",
        hint: "Put the intended value there. To store this one: keyplan accept key.\(id)")
    case .refusedValue(let source, let check):
      Message(
        "\(Self.name(source)) has a new value for \"\(id)\", which \(check.words). It is not stored.",
        hint: "Put a value there that the provider accepts. To have this one checked again: keyplan apply --verify")
    case .earlierValue(let source, let version, let storedAt):
      Message(
        "\(Self.name(source)) has the value that \"\(id)\" had as version \(version), stored on \(storedAt.date).",
        hint: "Two writers may be overwriting each other.")
    case .unexpectedFormat(let provider):
      Message(
        "The new value of \"\(id)\" does not look like a key of \(provider).",
        hint: "It is stored anyway: providers change their formats. Check that it is the right value.")
    case .doubtful(_, .endsWithLineBreak):
      Message(
        "The new value of \"\(id)\" ends with a line break.",
        hint: "It is stored as it is. Remove the line break at the source if it does not belong to the value.")
    case .doubtful(_, .hasOuterBlanks):
      Message(
        "The new value of \"\(id)\" begins or ends with white space.",
        hint: "It is stored as it is. Remove the white space at the source if it does not belong to the value.")
    case .doubtful(let source, .readDifferently(let reason)):
      Message(
        "The new value of \"\(id)\", from \(Self.name(source)), \(reason).",
        hint: "Write the value in single quotes, so that every program reads the same.")
    case .storedFormat(let provider):
      Message(
        "The value of \"\(id)\" does not look like a key of \(provider). It was read by an apply whose plan did not see it.",
        hint: Self.formatHint)
    case .revoked(let revocation):
      Message(
        "\"\(id)\" was \(revocation.words). No command reads its value, and no slot or target uses it.",
        hint: renewal)
    case .refusedByProvider(let check):
      Message(
        "\"\(id)\" \(check.words). It is used only where nothing else is usable.",
        hint: renewal + " To ask the provider again: keyplan verify \(id)")
    case .noCredit(let check):
      Message(
        "\"\(id)\" \(check.words). It is used as before.",
        hint: "Add credit to the account at the provider. To ask the provider again: keyplan verify \(id)")
    case .notChecked(let reason, let hint): Message("\"\(id)\" was not checked: \(reason)", hint: hint)
    case .leaseEnded(let place):
      Message(
        "\"\(id)\" was revoked at \(place), or ended early. Programs that use it get errors from the provider.",
        hint: "keyplan apply has a new one made.")
    case .revokedValue(let source, let revocation):
      Message(
        "\(Self.name(source)) has version \(revocation.version) of \"\(id)\", which was \(revocation.words). It is not stored.",
        hint: renewal)
    case .elsewhere(let environment, let keys):
      Message(
        "The environment \(environment) has the same value as \"\(id)\": "
          + "\(Spans.list(keys.map(\.name), showing: 8)). It is not revoked there.",
        hint: "keyplan keys revoke \(keys.first?.name ?? id.name) --environment \(environment)")
    case .exposed(let value):
      Message("\(value.words("value was")). \(value.deadline.capitalizedFirst).", hint: renewal)
    case .closed(let recipients):
      Message(
        "A step needs the value, which is only for \(Spans.list(recipients.map(\.name), showing: 8)). The identity in use "
          + "belongs to none of them.",
        hint: "Have one of them apply this. The other steps can be applied.")
    case .expiresSoon(let limit, let end):
      Message("\"\(id)\" \(Self.expiring(limit, end)).", hint: renewal)
    case .rotationHeld(let end):
      Message(
        "\"\(id)\" expired on \(end.date). Its value was not generated by keyplan, so the policy does not replace it.",
        hint: renewal)
    case .expired(let end): Message("\"\(id)\" expired on \(end.date).", hint: renewal)
    case .lastKeyKept(let end):
      Message(
        "\"\(id)\" expired on \(end.date). It is still served, with a warning, because a slot or target has no other key.",
        hint: renewal + " To retire this one anyway: --allow-retire.")
    case .newValueExpired(let limit, let end):
      Message(
        "The new value of \"\(id)\" expired on \(end.date) and would be retired as soon as it is stored. It is not stored.",
        hint: Self.correction(of: limit, renewal))
    case .issuedOutdated(let issued):
      Message(
        "`issued: \(issued.date)` is the date of another value of \"\(id)\". The current value counts from when it was "
          + "stored.",
        hint: Self.datingHint)
    case .issuedAhead(let issued):
      Message(
        "\"\(id)\" would be issued in the future, on \(issued.date).",
        hint: "Correct `issued`: it is the date on which the provider issued the key.")
    case .retiredNext:
      Message("This value of \"\(id)\" has expired: the next apply retires it.", hint: renewal)
    case .replacedKeyWaits(let ids, let end):
      Message(
        "\(Self.keys(ids)) of \"\(id)\" \(ids.count == 1 ? "stays" : "stay") valid at the provider until \(end.dateAndMinute).",
        hint: "The first apply after that revokes it. To do it earlier, shorten \"overlap\" in its policy.")
    case .replacedKeyInUse(let ids, let target):
      Message(
        "\(Self.keys(ids)) of \"\(id)\" \(ids.count == 1 ? "is" : "are") not revoked: target.\(target) still has its value.",
        hint: "Fix the error for target.\(target), then apply again.")
    case .replacedKeyLeft(let ids, let place):
      Message(
        "\(Self.keys(ids)) of \"\(id)\" \(ids.count == 1 ? "stays" : "stay") valid: the manifest has no connection to \(place).",
        hint: "Declare the connection again, or revoke it there and run keyplan keys forget \(id).")
    case .mintLeft(let label, let place):
      Message(
        "An apply may have made a key for \"\(id)\" at \(place), whose response was lost, and \"\(id)\" is not made there any more.",
        hint: "Look for the key \(label) there and revoke it. Or declare the source again: the next apply cleans up.")
    case .mintUnexplained(let ids, let place):
      Message(
        Self.unexplained(ids, at: place), hint: "The next apply removes this warning.")
    case .partsDiffer(let whole, let versions):
      Message(
        "The parts of \"\(whole)\" are of different keys: \(versions.map(\.words).joined(separator: ", ")). Targets keep what they have.",
        hint:
          "Have a new key made: keyplan keys rotate \(whole). Or use an earlier one: keyplan keys rollback \(whole)")
    case .partElsewhere(let part):
      Message(
        "\"\(id)\" cannot be restored without its other part \"\(part)\", which has another value now or was deleted with another one.",
        hint:
          "keyplan keys history \(id.whole ?? id) lists what is kept. For a new key: keyplan keys rotate \(id.whole ?? id)"
      )
    case .breaksRule(let rule, let place, let breach): breach.message(id, rule, place, renewal)
    case .resembles(let old):
      Message(
        "\"\(id)\" has the value of \"\(old)\", which is no longer declared and would be forgotten.",
        hint: "To keep its history, add to `migrations`: { moved: \(old.whole ?? old), to: \(id.whole ?? id) }")
    case .sharesVariable(let keys): Message.shared(keys)
    case .collision(let names):
      Message(
        "\(names.map { "\"\($0)\"" }.joined(separator: " and ")) are recorded, and only one of them can become \"\(id)\". "
          + "They are not changed.",
        hint: "Remove the migration. Keys that are not declared are then forgotten, and can be restored for 30 days.")
    case .isRecorded:
      Message(
        "\"\(id)\" has a record already.",
        hint: "Make room with `keyplan keys forget \(id)`. Forgotten keys can be restored for 30 days.")
    case .undeclared:
      Message(
        "The manifest does not declare \"\(id)\": the next apply forgets it.",
        hint: "Declare it under `keys` before that.")
    case .declaredAs(let old, let hasSource):
      Message(
        "The manifest still declares \"\(old)\": the next apply forgets \"\(id)\" and "
          + (hasSource ? "stores \"\(old)\" again." : "has no value for \"\(old)\"."),
        hint: "Rename it in the manifest before that.")
    case .losesRecord:
      Message(
        "The manifest also declares \"\(id)\", which loses its record.",
        hint: "Remove it from the manifest; otherwise the next apply looks for a new value.")
    case .stillDeclared(let next):
      Message(
        "The manifest still declares \"\(id)\": \(next.words)",
        hint: "To keep it forgotten, remove it from the manifest.")
    case .isOnly: Message("\"\(id)\" is the only recorded key.", hint: Message.allowForget)
    case .isProtected(let isUndeclared):
      Message(
        isUndeclared
          ? "\"\(id)\" is protected and no longer declared; it would be forgotten." : "\"\(id)\" is protected.",
        hint: Message.allowForget)
    case .isActive(let slot, let isUndeclared):
      isUndeclared
        ? Message(
          "\"\(id)\" is active in active.\(slot) and no longer declared; it would be forgotten.",
          hint: "Choose another key for the slot first. " + Message.allowForget)
        : Message("\"\(id)\" is active in active.\(slot).", hint: Message.allowForget)
    }
  }

  /// The way in which a value that contains a deleted one is replaced. Only one that the manifest composes is replaced by the next apply in any case.
  private static func replacing(valueOf id: Identifier<Key>, _ way: Renewal?, _ renewal: String) -> String {
    switch way?.way {
    case nil: "The manifest no longer declares it: keyplan apply forgets it."
    case .composed: "keyplan apply replaces it."
    case .source, .set, .generated, .made, .madeByHand: "The manifest no longer composes it. \(renewal)"
    }
  }

  /// `composed of "db-password", "api-user"`
  private static func composed(of parts: [Identifier<Key>]) -> String { "composed of \(Spans.quoted(parts))" }

  static let datingHint = "Set `issued` to the date of the current value, or remove it."
  /// `The replaced key sk_1`, `The replaced keys sk_1, sk_2`
  private static func keys(_ ids: [String]) -> String {
    "The replaced \(ids.count == 1 ? "key" : "keys") \(Spans.list(ids, showing: 4))"
  }

  /// Lists keys that a request with a lost response may have created.
  static func unexplained(_ ids: [String], at place: String) -> String {
    "\(place) has \(ids.count == 1 ? "a key" : "keys") that appeared while a response was lost: "
      + "\(Spans.list(ids, showing: 12)). Revoke \(ids.count == 1 ? "it" : "them") there, unless someone else created \(ids.count == 1 ? "it" : "them")."
  }

  private static let formatHint = "Replace the value, or correct `provider` or its `format` in the manifest."

  static let restoration = "Put it back at its source, or correct the reference in the manifest."

  static func name(_ source: Reference?) -> String { source?.description ?? "The source" }

  /// `is no longer at vault://x, nor at env://Y`
  static func missing(_ sources: [Reference]) -> String {
    "is no longer at \(sources.map(\.description).joined(separator: ", nor at "))"
  }

  /// `expires on 2026-12-01, 90 days after it was issued`
  static func expiring(_ limit: Expiry.Limit, _ end: Moment) -> String {
    switch limit {
    case .after(let interval): "expires on \(end.date), \(interval.spoken) after it was issued"
    case .on: "expires on \(end.date)"
    }
  }

  private static func correction(of limit: Expiry.Limit, _ renewal: String) -> String {
    switch limit {
    case .after: "Correct `issued` if this key is a newer one. Otherwise: " + renewal.lowercasedFirst
    case .on: renewal
    }
  }
}

extension Revocation {
  /// `revoked on 2026-11-23 (leaked in a log)`, `revoked on 2026-11-23 with "db-password"`
  package var words: String {
    "revoked on \(at.date)" + (part.map { " with \"\($0)\"" } ?? "") + (reason.map { " (\($0))" } ?? "")
  }
}

extension ExposedValue {
  /// The values that it is made of and that are known, for the end of a sentence; empty for none.
  private var partWords: String {
    parts.isEmpty ? "" : ", in \(Spans.quoted(parts, showing: 4))"
  }

  /// `The value was readable by "anna" (removed 2026-11-23)`
  package func words(_ subject: String) -> String {
    let names = exposures.map { "\"\($0.recipient)\" (removed \($0.since.date))" }.joined(separator: ", ")
    return "The \(subject) readable by \(names)\(partWords)"
  }

  package var names: String { exposures.map { "\"\($0.recipient)\"" }.joined(separator: ", ") }

  /// `it`, or the values that it is made of and that are known.
  package var subject: String {
    parts.isEmpty ? "it" : Spans.quoted(parts, showing: 4)
  }

  /// `replace it by 2026-12-23`
  package var deadline: String {
    isLate ? "it was to be replaced by \(end.date)" : "replace it by \(end.date)"
  }
}

extension KeyIssue.NextValue {
  fileprivate var words: String {
    switch self {
    case .stored(let origin):
      "the next apply stores it again" + (origin.map { " from \($0)" } ?? "") + ", without its history."
    case .adopted(let origin): "the next apply adopts it again from \(origin), without its history."
    case .composed(let parts):
      "it is composed again once \(Spans.quoted(parts)) \(parts.count == 1 ? "has a value" : "have values")."
    case .none: "it has no value until one is set."
    }
  }
}

extension KeyIssue.Breach {
  fileprivate func message(
    _ id: Identifier<Key>, _ rule: Identifier<Rule>, _ place: FileLocation?, _ renewal: String
  ) -> Message {
    let broken = "which the rule \"\(rule)\"\(place.map { " (\($0))" } ?? "") does not allow."
    func list(_ names: Set<String>) -> String { names.sorted().joined(separator: ", ") }
    func source(_ kind: String) -> String {
      kind == Rule.storeKind ? "has no source" : "has a source of the kind \(kind)"
    }
    switch self {
    case .kind(let kind, let allowed):
      return Message("\"\(id)\" \(source(kind)), \(broken)", hint: "Allowed: \(list(allowed)).")
    case .forbiddenKind(let kind, let forbidden):
      return Message(
        "\"\(id)\" \(source(kind)), \(broken)", hint: "Use a source of another kind than \(list(forbidden)).")
    case .provider(let provider, let allowed):
      return Message("\"\(id)\" has the provider \(provider), \(broken)", hint: "Allowed: \(list(allowed)).")
    case .age(let age, let limit):
      return Message(
        "\"\(id)\" is \(age.spoken) old, more than \(limit.spoken), \(broken)",
        hint: renewal)
    }
  }
}

extension SlotIssue {
  func message(_ id: Identifier<Slot>) -> Message {
    switch self {
    case .noUsableKey(let candidates, let current):
      Message(
        "active.\(id) can choose from \(candidates.map { "\"\($0)\"" }.joined(separator: ", ")), and none of them is "
          + "usable. " + (current.map { "It stays on \"\($0)\"." } ?? "It stays empty."),
        hint: "Give one of them a value that is not revoked or retired and has not expired.")
    case .sharesVariable(let keys): Message.shared(keys)
    case .stillDeclared:
      Message(
        "The manifest still declares active.\(id): the next apply chooses a key for it again.",
        hint: "To keep it forgotten, remove it from the manifest.")
    }
  }
}

extension Message {
  static let allow = "keyplan apply (shows it for review, and allows it)"
  static let allowForget = "To forget it anyway: --allow-forget."

  fileprivate static func shared(_ keys: [ExportedKey]) -> Message {
    Message(
      "\(keys.map(\.description).joined(separator: " and ")) are exported as \(keys.first?.variable ?? "one variable"), "
        + "so `run` and `env` require --only or --target.",
      hint: "Give one of them a `variable` of its own.")
  }
}

extension String {
  /// Fit for the middle of a sentence.
  var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  /// Fit for the beginning of a sentence.
  /// The first letter in upper case, unless the text begins with the name of a file or a place.
  var capitalizedFirst: String {
    let isName = prefix { $0 != " " }.contains { "./_".contains($0) || $0.isNumber }
    return isName ? self : prefix(1).uppercased() + dropFirst()
  }
}

extension KeyCheck {
  /// `was rejected by its provider on 2026-11-23 09:12`
  package var words: String {
    let time = at.dateAndMinute
    return switch outcome {
    case .invalid: "was rejected by its provider on \(time)"
    case .expired: "had expired at its provider on \(time)"
    case .blocked: "was disabled at its provider on \(time)"
    case .valid, .restricted: "was accepted by its provider on \(time)"
    case .noCredit: "had no credit at its provider on \(time)"
    case .pending: "was not yet accepted by its provider on \(time)"
    case .throttled, .unknown: "was not confirmed by its provider on \(time)"
    }
  }
}

extension Serving {
  /// `revoked on 2026-11-23`; nil for a value that is served without a warning.
  package var unusableWords: String? {
    let with = part.map { " with \"\($0)\"" } ?? ""
    return switch self {
    case .asUsual: nil
    case .pastItsEnd(let since, _): "expired on \(since.date)\(with)"
    case .refusedByProvider(let check, _): "rejected by its provider on \(check.at.date)\(with)"
    case .retired(let since, _): "retired on \(since.date)\(with)"
    case .revoked(let since, _, _): "revoked on \(since.date)\(with)"
    }
  }

  /// `"db-password" was revoked on 2026-11-23`; nil for a value that is not made of others, or is usable.
  package var partWords: String? {
    guard let part else { return nil }
    return switch self {
    case .asUsual: nil
    case .pastItsEnd(let since, _): "\"\(part)\" expired on \(since.date)"
    case .refusedByProvider(let check, _): "\"\(part)\" \(check.words)"
    case .retired(let since, _): "\"\(part)\" was retired on \(since.date)"
    case .revoked(let since, let reason, _):
      "\"\(part)\" was revoked on \(since.date)" + (reason.map { " (\($0))" } ?? "")
    }
  }
}
