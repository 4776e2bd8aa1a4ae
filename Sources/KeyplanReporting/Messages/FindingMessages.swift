package import KeyplanCore

/// A finding in words: what is so, what follows from it, and what mends it. The only place where a kind finds its words.
package struct FindingMessages {
  /// What is so, without a full stop.
  package let headline: String
  /// What follows from it; nil where nothing does yet.
  package let consequence: String?
  /// The command that mends it; nil where a person must do something outside first.
  package let command: String?
  /// What that command does, or what the person must do.
  package let mending: String
  /// Another command that mends it, and what that one does; nil where there is no choice.
  package let alternative: (command: String, mending: String)?

  /// - Parameter style: how times are written.
  package init(_ finding: Finding, style: Style = Style()) {
    self.init(FindingGroup(first: finding), style: style)
  }

  /// - Parameter style: how times are written.
  package init(_ group: FindingGroup, style: Style = Style()) {
    let finding = group.first
    let count = group.names.count
    let place = finding.detail ?? "the target"
    let said = Self.predicate(finding)
    alternative =
      switch finding.kind {
      case .targetChanged where count > 0: ("keyplan accept \(group.subject).NAME", "keeps the new value of a name")
      case .targetRewritten:
        ("keyplan accept \(ShellWord.quoted("\(finding.address)"))", "keeps what is there until the key changes")
      case .targetChanged: ("keyplan accept \(ShellWord.quoted("\(finding.address)"))", "keeps the new one")
      case .valueRejected: ("keyplan accept \(finding.address)", "takes in the one at the source")
      default: nil
      }
    switch finding.kind {
    case .targetChanged where count > 0:
      headline = "\(count) names hold other values" + Self.seen(finding)
      consequence = "what reads \(place) uses values that keyplan does not know"
      (command, mending) = ("keyplan apply", "writes the recorded values")
    case .targetMissing where count > 0:
      headline = "\(count) names are gone from \(place)" + Self.seen(finding)
      consequence = "what reads \(place) goes without these keys"
      (command, mending) = ("keyplan apply", "writes the recorded values")
    case .targetChanged:
      headline = "holds another value" + Self.seen(finding)
      consequence = "what reads \(place) uses a value that keyplan does not know"
      (command, mending) = ("keyplan apply", "writes the recorded value")
    case .targetRewritten:
      headline =
        "changed outside, value unknown" + (finding.since.map { "; written by keyplan on \($0.date)" } ?? "")
      consequence = "\(place) may not have the recorded value"
      (command, mending) = ("keyplan apply", "writes the recorded value")
    case .targetMissing:
      headline = "is gone from \(place)" + Self.seen(finding)
      consequence = "what reads \(place) goes without this key"
      (command, mending) = ("keyplan apply", "writes the recorded value")
    case .targetExposed:
      headline = "other users have access to \(place)"
      consequence = "they can read what keyplan wrote there"
      (command, mending) = (
        nil, "chmod go= -- \(ShellWord.quoted(place)), or declare its `mode` in the manifest, then: keyplan apply"
      )
    case .sourceChanged:
      headline = "\(finding.detail ?? "its source") has a new value"
      consequence =
        finding.since.map { "the store and the targets still have the one of \($0.date)" }
        ?? "the store and the targets still have the old one"
      (command, mending) = ("keyplan apply", "takes it in")
    case .sourceMissing:
      headline = said ?? "is no longer at its source"
      consequence = "the recorded value is kept and used"
      (command, mending) = (nil, "put it back at its source, or correct the reference in the manifest")
    case .interrupted:
      headline = "an apply was interrupted here" + (finding.since.map { ", \(style.time($0))" } ?? "")
      consequence = "nobody knows whether this step was finished"
      (command, mending) = ("keyplan apply", "looks, and finishes it")
    case .expired:
      headline = said ?? "is past its end"
      consequence = "it is served until it is replaced or retired"
      (command, mending) = (nil, Self.renewal)
    case .expiresSoon:
      headline = said ?? "nears its end"
      consequence = nil
      (command, mending) = (nil, Self.renewal)
    case .lastKeyKept:
      headline = said ?? "is past its end and kept"
      consequence = "it is kept until it is replaced or retired"
      (command, mending) = (nil, Self.renewal)
    case .slotWithoutKey:
      headline = (finding.detail ?? "its key is retired") + ", and no other key is usable here"
      consequence = "what uses \(finding.address) goes without a key"
      (command, mending) = (nil, Self.renewal)
    case .valueRejected:
      headline = said ?? "its source still gives the value that a rollback rejected"
      consequence = "the recorded value is kept and used"
      (command, mending) = (nil, "put a new value where the source points, then: keyplan apply")
    case .originalLeft:
      headline = "the original still stands at \(finding.detail ?? "its place")"
      consequence = "whoever can read it has what was adopted"
      (command, mending) = ("keyplan apply", "removes it")
    case .signInEnded, .testingEnded, .otherAccount, .scopesReduced, .tokenRefused, .passwordRefused, .rotationLost,
      .signInEndsSoon,
      .signInUnused, .signInTooOld, .calendarGone, .calendarRenamed, .calendarMisnamed, .calendarChanged,
      .calendarUnclear:
      let words = AccountFindingMessages(finding)
      headline = Self.lostAnswer(finding, style) ?? finding.detail ?? "is not as it was"
      (consequence, command, mending) = (words.consequence, words.command, words.mending)
    }
  }

  private static let renewal = "issue a new key at the provider, put it where the source points, then: keyplan apply"

  private static func seen(_ finding: Finding) -> String {
    finding.since.map { "; last seen equal \($0.date)" } ?? ""
  }

  private static func lostAnswer(_ finding: Finding, _ style: Style) -> String? {
    guard finding.kind == .rotationLost, let began = finding.since else { return nil }
    return "a refresh was sent at \(style.time(began)), and its answer was lost"
  }

  /// The detail's first sentence without the name that the row begins with, and without its full stop.
  private static func predicate(_ finding: Finding) -> String? {
    guard let detail = finding.detail else { return nil }
    guard case .key(let key) = finding.address, detail.hasPrefix("\"\(key)\" ") else { return nil }
    let rest = detail.dropFirst(key.name.count + 3)
    return String(rest.hasSuffix(".") ? rest.dropLast() : rest)
  }
}
