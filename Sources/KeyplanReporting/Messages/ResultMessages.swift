package import KeyplanApply
package import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// Reasons that steps are not done, as text.
extension StepResult {
  /// The result for programs.
  package var name: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .needsPerson, .needsKey: "needsPerson"
    case .stale: "stale"
    case .notTried: "notTried"
    }
  }

  /// The reason that it is not done, a sentence or more; nil if it is.
  package var reason: String? {
    switch self {
    case .done: nil
    case .failed(let failure): failure.sentence
    case .needsPerson(let need): AccountMessages.sentence(need)
    case .needsKey(let manual, let id): manual.sentence(id)
    case .stale(let reason): reason.sentence
    case .notTried(let obstacle): obstacle.sentence
    }
  }

  /// The kind of a failure outside.
  package var failure: AccessFailure.Kind? { if case .failed(let failure) = self { failure.kind } else { nil } }
}

extension ManualMint {
  /// The instructions for a person, and the command that stores the value.
  package func sentence(_ id: Identifier<Key>) -> String {
    "\(steps) The page is \(page). Then run \(command(id))."
  }

  /// The command that stores the value.
  package func command(_ id: Identifier<Key>) -> String { "keyplan keys set \(id)\(isRevocable ? " --id ID" : "")" }
}

extension StepFailure {
  package var sentence: String {
    switch self {
    case .outside(let failure): Self.joined(failure.reason, failure.advice)
    case .nameRefused(let name, let failure, let more, let names):
      Self.joined("\(name)\(Self.andMore(more)): \(failure.reason)\(names.rest)", failure.advice)
    case .unconfirmed(let name, let destination, let more, let names, let reason):
      Self.joined(
        "\(destination.words) did not confirm whether \(name)\(Self.andMore(more)) was written.\(names.rest)", reason)
        + " The next apply finds out, and writes what is missing."
    case .hook(let failure):
      Self.joined(failure.reason, failure.advice)
        + " What was written stays, and the next apply runs the command again."
    case .notShown(let name, let destination): "\(destination.words) does not show \(name) after the write."
    case .notReadable(let destination): "\(destination.words) cannot be read."
    case .tooLarge(let name, let destination, let limit, let names):
      "\(destination.words) takes values of at most \(limit) bytes, and the value of \(name) is larger."
        + (names?.rest ?? "")
    case .taken(let names, let destination, let id):
      "\(destination.words) already has other values under \(names.joined(separator: ", ")), which keyplan did not "
        + "write. Set `takeOver: true` on target.\(id), or use --allow-overwrite for this once."
    case .leftInPlace(let names, let destination, let id):
      "\(destination.words) has \(names.count == 1 ? "a value" : "values") under \(names.joined(separator: ", ")) that "
        + "keyplan did not write. Remove \(names.count == 1 ? "it" : "them") there, or keep "
        + "\(names.count == 1 ? "it" : "each of them") by: keyplan records forget "
        + ShellWord.quoted("\(Address.entry(id, name: names.first ?? ""))")
    case .noValue(let sources):
      sources.count == 1
        ? "\(sources[0]) has no value."
        : "There is no value at \(sources.map(\.description).joined(separator: ", then "))."
    case .revokedValue(let revocation, let address):
      "The value of \(address) was \(revocation.words). It is not stored."
    case .uncomposed(let fault): fault.sentence
    case .closed(let values, let names): values.sentence + (names?.rest ?? "")
    case .holdsOthers(let original): "\(original) has other sign-ins, too. It is left in place."
    // The run continues after it, so that no final error shows the hint.
    case .store(let error): error.code == .plugin ? Self.joined(error.detail, error.hint) : error.detail
    case .notRecorded(let error): "It was done, but could not be recorded. \(error.detail)"
    case .otherValueKept(let id): "The store returns another value for key.\(id)."
    case .otherTokenKept(let id, let isMissing):
      "The store returns \(isMissing ? "no" : "another") token for calendar.\(id)."
    case .reported(let reason, let hint, _): Self.joined(reason, hint)
    case .refreshRefused(let refusal, let service): "\(AccountMessages.refused(refusal, service))."
    case .noToken(let service, let code): "\(service.spoken) returned no token\(code.isEmpty ? "" : " (\(code))")."
    case .credentialsRejected(let service): "\(service.spoken) rejects the account's credentials."
    case .calendar(let pick, let wanted, let id):
      AccountMessages.pick(pick, wanted: wanted, of: id).map { Self.joined($0.detail, $0.hint) }
        ?? "No calendar can be chosen."
    case .revocationUnavailable(let reason, let id):
      "\(reason) To forget it here anyway: keyplan records forget calendar.\(id)"
    case .unsupported(.calendarServices): "This version of keyplan cannot ask calendar services."
    case .unsupported(.targets(let type)): "This version of keyplan does not support targets of type \(type)."
    case .unsupported(.hooks): "This version of keyplan cannot run commands after writing to a target."
    case .unsupported(.checks): "This version of keyplan cannot ask providers about new values."
    case .incompleteKey(let place):
      "\(place.brief) made a key without all of its values. The next apply revokes it."
    case .noConnection(let place):
      "An earlier run may have made a key at \(place.brief), which this manifest has no connection to. Declare it again, so "
        + "that the key can be found and revoked."
    case .unsupported(.issuers): "No declared connection can make or revoke this key."
    case .unsupported(.removal(let scheme)):
      "This version of keyplan cannot remove values from \(scheme) sources."
    }
  }

  private static func joined(_ reason: String, _ hint: String?) -> String {
    [reason, hint].compactMap(\.self).joined(separator: " ")
  }

  private static func andMore(_ count: Int) -> String { count > 0 ? " (and \(count) more)" : "" }
}

extension [ClosedValue] {
  /// The required values, and the recipients who can open them.
  var sentence: String {
    let groups = Dictionary(grouping: self, by: \.recipients).map { recipients, values in
      let keys = Spans.list(Set(values.map(\.key.name)).sorted(), showing: 8)
      let verb = values.count == 1 ? "The value of \(keys) is" : "The values of \(keys) are"
      return "\(verb) only for \(Spans.list(recipients.map(\.name), showing: 8))."
    }
    return groups.sorted().joined(separator: " ")
  }
}

extension StepFailure.NamesDone {
  fileprivate var rest: String { done == 0 ? "" : " \(done) of \(all) names are done." }
}

extension StaleReason {
  package var sentence: String {
    switch self {
    case .changed(let subject): "\(subject.words) since it was planned."
    case .entryChanged(let name, let destination, let names):
      "\(name) at \(destination.words) was changed since it was planned.\(names.rest)"
    case .replaced(let destination): "Another place now has the name \(destination.words)."
    case .redeclared(let address): "\(address) was declared differently since it was planned."
    case .undeclared(let address): "\(address) is no longer declared."
    case .notRecorded(let address): "\(address) is no longer recorded."
    case .keysNotRecorded(let keys): "No longer recorded: \(keys.map { "key.\($0)" }.joined(separator: ", "))."
    case .keysRevoked(let keys): "Revoked since it was planned: \(keys.map { "key.\($0)" }.joined(separator: ", "))."
    case .signedIn(let id): "calendar.\(id) was signed in since it was planned."
    case .signedInOtherwise(let address): "\(address) was signed in again, or is no longer recorded."
    case .tokenExpired(let address): "The access token of \(address) has expired since it was planned."
    case .notAsked: "The service was not asked."
    case .notAllowed: "It is no longer allowed."
    case .migrated(let address): "The migration of \(address) was carried out since it was planned."
    case .migrationUndeclared(let address): "The migration of \(address) is no longer declared."
    case .versionGone(let number, let address): "Version \(number) of \(address) is no longer kept."
    case .forgottenGone(let address): "The forgotten record of \(address) is no longer kept."
    case .noValue(let source): "\(source) no longer has a value."
    case .noToken(let source): "\(source) no longer has a token."
    case .notGiven(let address): "The value that was given for \(address) is no longer available."
    case .otherValue(let original): "\(original) has a value that the store does not have."
    case .otherToken(let original, let id):
      "\(original) has a token that calendar.\(id) was not signed in with."
    case .tokenUnused(let service, let id): "\(service.spoken) has not accepted the token of calendar.\(id) yet."
    }
  }
}

extension StaleReason.Subject {
  fileprivate var words: String {
    switch self {
    case .record(let address): "\(address) \(address == .recipients || address == .rules ? "were" : "was") changed"
    case .place(let destination): "\(destination.words) was changed"
    case .source(let reference): "\(reference) was changed"
    case .file(let reference): "The file of \(reference) was changed"
    case .files(let item): "The files of \(item) were changed"
    case .terms(let item): "What \(item) is to be allowed with was changed"
    case .value(let address): "The value for \(address) was changed"
    case .token(let id): "The token for calendar.\(id) was changed"
    case .calendars(let address): "The calendars of \(address) were changed"
    }
  }
}

extension StepObstacle {
  package var sentence: String {
    switch self {
    case .heldBack: "The plan is held back by errors."
    case .dependency(let address): "It waits for \(address)."
    case .interrupted: "The run was interrupted."
    case .runEnded: "The run ended before it."
    case .store(let error): error.detail
    case .signInFirst: "It was not tried."
    }
  }
}

extension StepNote {
  package var sentence: String {
    switch self {
    case .cannotRevoke:
      "The service cannot revoke single tokens: remove keyplan's access in the account's settings."
    case .unexplainedKeys(let ids, let place):
      KeyIssue.unexplained(ids, at: place.brief)
    case .keysNotFound(let ids, let place):
      "\(place.brief) has no \(ids.count == 1 ? "key" : "keys") \(ids.joined(separator: ", ")). Check there that the old "
        + "\(ids.count == 1 ? "key is" : "keys are") revoked: the given id may be wrong."
    case .unexpectedFormat(let provider):
      "The value does not look like a key of \(provider). It is used as it is: check that it is the right one."
    case .nothingChanged: "Nothing had to be written there, so the command was not run."
    case .notRevoked(let reason):
      "\(reason) The tokens are deleted here: remove keyplan's access in the account's settings."
    }
  }
}

extension CompositionFault {
  /// A sentence without a value.
  package var sentence: String {
    switch self {
    case .holdsNUL(let part): "The value of \"\(part)\" has a NUL byte, so that no value can be composed of it."
    case .notText(let part): "The value of \"\(part)\" is not UTF-8, so that no value can be composed of it."
    case .tooLarge: "The composed value would be larger than 64 KiB."
    case .blank: "The composed value would consist of white space only."
    case .widerThan(let part):
      "Recipients that cannot open \"\(part)\" could open what is composed of it. Apply the change of \"\(part)\" too."
    case .versionsWiderThan(let part, let key):
      "Earlier versions of \"\(key)\" are made of \"\(part)\", which some of the new recipients cannot open. Keep the recipients, or "
        + "delete the versions: keyplan keys purge \(key) --all"
    case .missing(let part): "\"\(part)\" has no value."
    }
  }
}
