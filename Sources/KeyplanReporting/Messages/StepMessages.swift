package import KeyplanCore

/// A step in words: one row of a plan. The only place where an effect finds its sign and its words.
package struct StepMessages {
  /// One character; the words say the same.
  package let sign: String
  /// The sign's colour.
  package let tint: Tint
  /// What the row is about, as people type it.
  package let subject: String
  /// What happens, in two or three words.
  package let what: String
  /// The particulars.
  package let details: [Run]
  /// The word for the cause; nil where it is the manifest.
  package let cause: String?
  /// Whether a person should review it: it widens what may be touched or who can read.
  package let needsLook: Bool

  /// What follows everything that a person should review.
  package static let look = Run.apart("(review)")

  /// The particulars with the cause at their end.
  package var reasoned: [Run] { cause.map { details + [.apart("(\($0))", .faint)] } ?? details }

  /// Words for a step, with what the records say about what was there before, and what another step makes of its key.
  package init(_ step: Step, recorded: Recorded?, facts: KeyFacts? = nil, style: Style, at now: Moment) {
    let words = StepDetails(step: step, recorded: recorded, facts: facts, style: style, now: now)
    var subject = step.address.description
    var look = false
    switch step.effect {
    case .allow(let grant):
      (sign, tint, look) = ("!", .look, true)
      if case .surface(let item) = step.address { subject = "surface.\(item.kind.rawValue)" }
      (what, details) = words.allow(grant)
    case .disallow:
      (sign, tint) = ("-", .remove)
      if case .surface(let item) = step.address { subject = "surface.\(item.kind.rawValue)" }
      (what, details) = words.disallow()
    case .upgrade(let upgrade):
      (sign, tint, look) = ("!", .look, true)
      (what, details) = words.upgrade(upgrade)
    case .guards(let change):
      (sign, tint, look) = change.isLoosening ? ("!", .look, true) : ("~", .change, false)
      (what, details) = words.guards(change)
    case .rewrap(let rewrap):
      (sign, tint, look) = ("!", .look, true)
      (what, details) = words.rewrap(rewrap)
    case .move(let from):
      (sign, tint) = ("~", .change)
      (what, details) = ("renamed", [Run("was \(from), with its history")])
    case .adopt(let write, let origin):
      (sign, tint) = ("+", .add)
      (what, details) = words.adopt(write, origin)
    case .remove(let successor, let origin):
      (sign, tint) = ("-", .remove)
      (what, details) = ("original removed", words.removal(of: origin, for: successor))
    case .store(let write):
      (sign, tint) = ("+", .add)
      (what, details) = words.store(write)
    case .replace(let write):
      (sign, tint) = ("~", .change)
      (what, details) = words.replace(write)
    case .update(let write):
      (sign, tint) = ("~", .change)
      (what, details) = words.update(write)
    case .activate(let key, let was):
      (sign, tint) = (">", .choose)
      (what, details) = (key.name, was.map { [Run("was \($0)")] } ?? [])
    case .deactivate(let was):
      (sign, tint) = ("-", .remove)
      (what, details) = (step.cause == .byHand ? "has no key now" : "no longer declared", [Run("was \(was)")])
    case .sync(let write):
      (sign, tint, look) = (style.text(.arrow), .sync, write.mode?.isLoosening ?? false)
      (what, details) = words.sync(write)
    case .withdraw(let removal):
      (sign, tint) = ("-", .remove)
      (what, details) = words.withdraw(removal)
    case .settle:
      (sign, tint) = ("=", .faint)
      (what, details) = ("settled", [Run("nothing is left to do here")])
    case .retire:
      (sign, tint) = ("-", .remove)
      (what, details) = ("retired", words.retire())
    case .forget:
      (sign, tint) = ("-", .remove)
      (what, details) = step.cause == .byHand ? ("forgotten", words.forgetting()) : ("no longer declared", [])
    case .rollback(let rollback):
      (sign, tint) = ("~", .change)
      (what, details) = ("value rolled back", words.rollback(rollback))
    case .restore(let restoration):
      (sign, tint) = ("+", .add)
      (what, details) = ("restored", words.restore(restoration))
    case .accept(let acceptance):
      (sign, tint) = ("~", .change)
      (what, details) =
        acceptance.mark == nil
        ? ("value accepted", [Run("from \(acceptance.address)")])
        : ("value left in place", [Run("at \(acceptance.address)")])
    case .authorize(let need):
      (sign, tint) = ("!", .look)
      (what, details) = ("sign-in required", words.authorize(need))
    case .adoptToken(let from, _):
      (sign, tint) = ("+", .add)
      (what, details) = ("token imported", [.apart("from \(from)")])
    case .refresh(let refresh):
      (sign, tint) = ("~", .change)
      (what, details) = words.refresh(refresh)
    case .select(let selection):
      (sign, tint) = (">", .choose)
      (what, details) = words.select(selection)
    case .signOut(let signOut):
      (sign, tint) = ("-", .remove)
      (what, details) = ("signed out", words.signOut(signOut))
    }
    self.subject = subject
    cause =
      switch (step.effect, step.cause) {
      // The command is the cause, and has just been typed.
      case (.authorize, .byHand), (.select, .byHand), (.signOut, .byHand): nil
      default: step.cause.word
      }
    needsLook = look
  }
}

extension Cause {
  /// The word for a step's cause; nil where the manifest is all there is to say.
  package var word: String? {
    switch self {
    case .manifest: nil
    case .sourceChanged: "source changed"
    case .drift: "drift"
    case .expiry: "expiry"
    case .follows: "follows"
    case .interrupted: "interrupted"
    case .migration: "migration"
    case .byHand: "by hand"
    case .program: "newer keyplan"
    }
  }
}
