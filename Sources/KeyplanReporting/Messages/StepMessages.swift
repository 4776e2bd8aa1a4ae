package import KeyplanModel
package import KeyplanPlanning

/// A step in words: one row of a plan. The only place where an effect finds its sign and its words.
package struct StepMessages {
  /// One character; the words say the same.
  package let sign: String
  /// The sign's colour.
  package let tint: Tint
  /// The subject of the row, as people type it.
  package let subject: String
  /// The action, in two or three words.
  package let what: String
  /// The particulars.
  package let details: [Run]
  /// The word for the cause; nil if it is the manifest.
  package let cause: String?
  /// Whether a person should review it: it widens the external access or the readers.
  package let needsLook: Bool

  /// The mark after everything that a person should review.
  package static let look = Run.apart("(review)")

  /// The particulars with the cause at their end.
  package var reasoned: [Run] { cause.map { details + [.apart("(\($0))", .faint)] } ?? details }

  /// The row of a step, with the recorded previous state, and the facts that another step records of its key.
  package init(_ step: Step, recorded: Recorded?, facts: KeyFacts? = nil, style: Style, at now: Moment) {
    let words = StepDetails(step: step, recorded: recorded, facts: facts, style: style, now: now)
    let row =
      switch step.effect {
      case .store(let effect): Row(effect, words)
      case .outside(let effect): Row(effect, words)
      case .person(.signIn(_, let need)): Row("!", .look, ("sign-in required", words.authorize(need)))
      case .person(.issue(let id, let manual)): Row("!", .look, ("new key required", words.issue(manual, id)))
      }
    (sign, tint, needsLook) = (row.sign, row.tint, row.needsLook)
    (what, details) = row.words
    subject = row.subject ?? step.address.description
    cause = Self.cause(of: step)
  }

  /// A row for variables, above those of the steps that set them.
  init(newVariables names: [Run]) {
    (sign, tint, needsLook) = ("!", .look, true)
    (subject, what, cause) = ("variables", "newly set", nil)
    details = names + [Self.look]
  }

  private static func cause(of step: Step) -> String? {
    switch step.effect {
    // The command is the cause, and has just been typed.
    case .person, .outside(.select), .outside(.signOut): step.cause == .byHand ? nil : step.cause.word
    case .outside(.run): step.cause == .interrupted ? "still due" : nil
    case .store, .outside: step.cause.word
    }
  }

  private struct Row {
    let sign: String
    let tint: Tint
    let words: (what: String, details: [Run])
    var needsLook = false
    /// The subject of the row, if that is not the step's address.
    var subject: String?

    init(
      _ sign: String, _ tint: Tint, _ words: (String, [Run]), needsLook: Bool = false, about subject: String? = nil
    ) {
      self.sign = sign
      self.tint = tint
      self.words = words
      self.needsLook = needsLook
      self.subject = subject
    }

    init(_ effect: StoreEffect, _ words: StepDetails) {
      self =
        switch effect {
        case .allow(let item, let grant):
          Row("!", .look, words.allow(item, grant), needsLook: true, about: "surface.\(item.kind.rawValue)")
        case .disallow(let item):
          Row("-", .remove, words.disallow(item), about: "surface.\(item.kind.rawValue)")
        case .guards(let change):
          change.isLoosening
            ? Row("!", .look, words.guards(change), needsLook: true) : Row("~", .change, words.guards(change))
        case .rewrap(let rewrap): Row("!", .look, words.rewrap(rewrap), needsLook: true)
        case .key(_, let effect): Row(effect, words)
        case .activate(_, let key, let was): Row(">", .choose, (key.name, was.map { [Run("was \($0)")] } ?? []))
        case .deactivate(_, let was):
          Row("-", .remove, (words.isByHand ? "has no key now" : "no longer declared", [Run("was \(was)")]))
        case .forgetSlot, .forgetTarget, .forgetEntry: Row("-", .remove, words.forgetting())
        case .adoptToken(_, let from, _): Row("+", .add, ("token imported", [.apart("from \(from)")]))
        case .settle: Row("=", .faint, ("settled", [Run("nothing is left to do here")]))
        }
    }

    private init(_ effect: KeyEffect, _ words: StepDetails) {
      self =
        switch effect {
        case .move(let from): Row("~", .change, ("renamed", [Run("was \(from), with its history")]))
        case .adopt(let write, let origin): Row("+", .add, words.adopt(write, origin))
        case .store(let write): Row("+", .add, words.store(write), needsLook: write.composition != nil)
        case .replace(let write):
          Row(
            "~", .change, words.replace(write),
            needsLook: words.changesReaders(to: write.facts) || words.replacedOrigin(by: write) != nil
              || words.changesTemplate(to: write.facts))
        case .update(let write):
          Row(
            "~", .change, words.update(write),
            needsLook: words.changesReaders(to: write.facts) || words.startsMaking(write.facts)
              || words.changesTemplate(to: write.facts))
        case .rollback(let rollback): Row("~", .change, ("value rolled back", words.rollback(rollback)))
        case .restore(let restoration): Row("+", .add, ("restored", words.restore(restoration)))
        case .accept(let acceptance):
          acceptance.mark == nil
            ? Row("~", .change, ("value accepted", [Run("from \(acceptance.address)")]))
            : Row("~", .change, ("value left in place", [Run("at \(acceptance.address)")]))
        case .retire: Row("-", .remove, ("retired", words.retire()))
        case .revoke(let revocation): Row("-", .remove, ("revoked", words.revoke(revocation)), needsLook: true)
        case .purge(let purge): Row("-", .remove, ("purged", words.purge(purge)), needsLook: true)
        case .forget: Row("-", .remove, words.forgetting())
        }
    }

    init(_ effect: OutsideEffect, _ words: StepDetails) {
      self =
        switch effect {
        case .sync(_, let write):
          Row(
            words.style.text(.arrow), .sync, words.sync(write), needsLook: write.mode?.isLoosening ?? false)
        case .withdraw(_, let removal): Row("-", .remove, words.withdraw(removal))
        case .run(_, let hook): Row(words.style.text(.arrow), .sync, words.run(hook))
        case .removeOriginal(_, let successor, let origin):
          Row("-", .remove, ("original removed", words.removal(of: origin, for: successor)))
        case .mint(_, let mint): Row("+", .add, ("new key made", [Run("at \(mint.place.brief)")]))
        case .settle(_, let late):
          Row(
            "-", .remove, ("settled", [Run("looks for a late key at \(late.place.brief)"), .apart("and revokes it")]))
        case .disable(_, let end): Row("-", .remove, ("old key disabled", words.ending(end)))
        case .end(_, let end):
          Row("-", .remove, (words.isLeaving ? "key revoked" : "old key revoked", words.ending(end)))
        case .renew(_, let keys): Row("~", .change, ("key renewed", words.ending(keys)))
        case .refresh(_, let refresh): Row("~", .change, words.refresh(refresh))
        case .select(_, let selection): Row(">", .choose, words.select(selection))
        case .signOut(_, let signOut): Row("-", .remove, ("signed out", words.signOut(signOut)))
        }
    }
  }
}

extension Cause {
  /// The word for a step's cause; nil if it is only the manifest.
  package var word: String? {
    switch self {
    case .manifest: nil
    case .sourceChanged: "source changed"
    case .drift: "drift"
    case .expiry: "expiry"
    case .revocation: "revoked"
    case .check: "rejected by its provider"
    case .follows: "follows"
    case .interrupted: "interrupted"
    case .migration: "migration"
    case .byHand: "by hand"
    }
  }
}
