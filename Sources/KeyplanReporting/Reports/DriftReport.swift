package import KeyplanModel
package import KeyplanPlanning

/// The findings of drift, with everything else that is shown with them.
package struct DriftReport: Sendable {
  /// The findings, the most urgent first.
  package let findings: [Finding]
  /// Diagnostics about failed checks, errors first.
  package let diagnostics: [Diagnostic]
  /// The environment; nil for the one without a name.
  package let environment: String?
  /// The store.
  package let store: StoreState?
  /// The findings that do not count.
  package let leftOut: [LeftOut]
  /// Unreachable places and services that do not count yet.
  package let passing: [Outage]
  /// The manifest's declarations; nil if they are not shown.
  package let declared: DeclaredPlaces?
  /// Counts of the rest: neither a finding nor in place.
  package let left: LookedAt
  /// The lowest level of findings that counts as a failure.
  package let failsFrom: Finding.Level

  package init(
    _ findings: [Finding], diagnostics: [Diagnostic] = [], environment: String? = nil, store: StoreState? = nil,
    leftOut: [LeftOut] = [], passing: [Outage] = [], declared: DeclaredPlaces? = nil,
    failsFrom: Finding.Level = .pending, left: LookedAt = LookedAt()
  ) {
    (self.declared, self.failsFrom, self.left) = (declared, failsFrom, left)
    self.findings = findings.sorted()
    self.diagnostics = diagnostics.sorted()
    self.environment = environment
    self.store = store
    self.leftOut = leftOut.sorted { $0.finding < $1.finding }
    self.passing = passing.sorted { $0.diagnostic < $1.diagnostic }
  }

  /// `Left out: 1 by --ignore, 2 by --baseline.`; nil if there are none.
  package var leftOutSum: String? {
    let words = leftOut.map(\.reason.word) + passing.map { _ in "unreachable-after" }
    let counts = ["ignore", "since", "baseline", "unreachable-after"].map { word in (word, words.count { $0 == word }) }
    let parts = counts.filter { $0.1 > 0 }.map { "\($0.1) by --\($0.0)" }
    return parts.isEmpty ? nil : "Left out: \(parts.joined(separator: ", "))."
  }

  /// The closing sentences for diagnostics without findings; nil if a planned write cannot be made.
  package func nothingElse(_ style: Style) -> String? {
    if diagnostics.contains(where: \.preventsWrite) { return nil }
    var left = left
    // Each error is shown.
    if diagnostics.contains(where: { $0.code.severity == .error }) { left.isBlocked = false }
    let sentences = left.sentences(style)
    return noDrift + " in what was checked." + (sentences.isEmpty ? "" : " " + sentences)
  }

  private var hasLeftOut: Bool { !leftOut.isEmpty || !passing.isEmpty }
  private var noDrift: String { hasLeftOut ? "No other drift" : "No drift" }

  /// The text if there are no findings: `No drift. The store, the sources and the targets agree.`, otherwise the counts of omitted checks.
  package func nothing(_ style: Style) -> String {
    if hasLeftOut { return noDrift + (left.isWhole ? "." : " in what was checked. " + left.sentences(style)) }
    // The targets do not agree with a manifest that cannot be applied.
    if left.isBlocked { return left.sentences(style) }
    return "\(noDrift). " + left.agreement("The store, the sources and the targets agree.", style)
  }

  /// The sources and names that were not looked at, for a report with findings: `1 name at a target was not compared.`; empty if all were.
  package var unchecked: String { left.uncheckedParts.map(\.sentence).joined(separator: " ") }

  /// `3 findings`, `1 soon`, `1 warning`, `1 error`: the numbers of JSON summaries.
  package var counts: [String] {
    let soon = findings.count { $0.level == .soon }
    let errors = diagnostics.count { $0.code.severity == .error }
    let all = [
      (findings.count - soon, "finding"), (soon, "soon"), (diagnostics.count - errors, "warning"), (errors, "error"),
    ]
    return all.filter { $0.0 > 0 }.map { $0.1 == "soon" ? "\($0.0) soon" : Spans.count($0.0, $0.1) }
  }
}

/// Names, sources and leases that were not looked at.
package struct UncheckedPart: Sendable {
  /// The name for programs: that of the field of JSON summaries.
  package let name: String
  /// The constant summary.
  package let summary: String
  /// The sentence with the count, such as `1 source was not read.`
  package let sentence: String
  package let addresses: Set<Address>
}

extension LookedAt {
  /// The parts of the extent that were not looked at; empty if all were.
  package var uncheckedParts: [UncheckedPart] {
    let all = [
      (
        "notCompared", "Name was not compared", notCompared, "name at a target was not compared",
        "names at targets were not compared"
      ),
      ("notRead", "Source was not read", notRead, "source was not read", "sources were not read"),
      (
        "notLookedUp", "Key was not looked up", notLookedUp, "key was not looked up at its provider",
        "keys were not looked up at their providers"
      ),
    ]
    return all.filter { !$0.2.isEmpty }.map { name, summary, addresses, one, many in
      UncheckedPart(
        name: name, summary: summary, sentence: "\(addresses.count) \(addresses.count == 1 ? one : many).",
        addresses: addresses)
    }
  }

  /// The number of names, sources and leases that were not looked at.
  package var uncheckedCount: Int { notCompared.count + notRead.count + notLookedUp.count }

  /// The sentence if everything was compared and agrees. Otherwise the exceptions.
  func agreement(_ sentence: String, _ style: Style) -> String {
    guard isWhole else { return sentences(style) }
    return isEmpty ? "No sources or targets to compare." : sentence
  }

  /// `3 names wait for their first apply. 12 keys have no source on this machine.`; empty if everything was compared.
  package func sentences(_ style: Style) -> String {
    func words(_ count: Int, _ one: String, _ many: String) -> String? {
      count == 0 ? nil : count == 1 ? "1 \(one)." : "\(count) \(many)."
    }
    let unchecked = uncheckedParts
    func part(_ name: String) -> String? { unchecked.first { $0.name == name }?.sentence }
    return [
      words(
        unrecorded, "name has its value and is not recorded yet", "names have their values and are not recorded yet"),
      words(notYet, "name waits for its first apply", "names wait for their first apply"),
      words(foreign, "name has a value of somebody else's", "names have values of somebody else's"),
      words(waiting, "name waits for a value of its key", "names wait for values of their keys"),
      part("notCompared"),
      words(
        absent.count, "key has no value at its source on this machine: \(Spans.list(absent.map(\.name), showing: 3))",
        "keys have no value at their sources on this machine: \(Spans.list(absent.map(\.name), showing: 3))"),
      words(
        unfollowed, "key keeps its value, and its source has another one (`follow: once`)",
        "keys keep their values, and their sources have others (`follow: once`)"),
      part("notRead"), part("notLookedUp"),
      running.map { "An apply has been running since \(style.time($0)): what it is changing was not judged." },
      isBlocked
        ? "The next apply has errors: \(style.commands(in: "keyplan plan"))."
        : changes > 0 ? "The next apply has changes to make: \(style.commands(in: "keyplan plan"))." : nil,
      words(people, "step requires manual action", "steps require manual action"),
    ].compactMap(\.self).joined(separator: " ")
  }
}
