package import KeyplanModel
package import KeyplanPlanning

/// The particulars of one step, effect by effect.
package struct StepDetails {
  package let step: Step
  package let recorded: Recorded?
  /// The facts that another step of the plan records of the step's key; nil if there is no such step.
  package let facts: KeyFacts?
  package let style: Style
  package let now: Moment

  /// The number of a target's names that a row shows before the number of the others.
  package static let namesShown = 12

  private var record: KeyRecord? {
    guard case .key(let id) = step.address else { return nil }
    return recorded?.keys[id]
  }

  package func allow(_ item: ExternalAccess, _ grant: AccessGrant) -> (String, [Run]) {
    let what =
      switch item.kind {
      case .command: "may run"
      case .hook: "may run after writing"
      case .plugin: "may encrypt the store"
      case .host: "may contact"
      case .path: "may access"
      case .variable: "may set"
      }
    return (what, [Run(item.text, .look)] + Self.terms(grant).map { Run.apart($0) } + [StepMessages.look])
  }

  /// The part of a public key that people compare. It is long enough that nobody can make another key with the same part; of an RSA key,
  /// half can be chosen freely, so it is shown in full.
  private static func comparable(_ key: String) -> String {
    guard !key.hasPrefix("ssh-rsa ") else { return key }
    // The beginning of an SSH key is its type.
    guard !key.contains(" ") else { return "\(key.prefix { $0 != " " }) …\(key.suffix(16))" }
    return key.utf8.count <= 24 || key.utf8.count > 100
      ? Recipient.abbreviated(key) : "\(key.prefix(10))…\(key.suffix(12))"
  }

  /// The terms of a permission, each in a few words: the new ones, the changed ones, and the removed ones.
  private static func terms(_ grant: AccessGrant) -> [String] {
    func subject(_ term: String) -> String {
      FileTerm(term).map { "file \($0.name)" } ?? term.split(separator: " ").prefix(2).joined(separator: " ")
    }
    let was = grant.was ?? []
    let before = Dictionary(was.map { (subject($0), $0) }) { first, _ in first }
    let now = Set(grant.terms.map(subject))
    let words = grant.terms.compactMap { term -> String? in
      guard let file = FileTerm(term) else { return was.contains(term) ? nil : "with \(term)" }
      let old = before[subject(term)]
      if file.content == .missing { return old == term ? nil : "\(file.name) is missing" }
      guard let old else { return grant.was == nil ? nil : "runs \(file.name)" }
      return old == term ? nil : "\(file.name) changed"
    }
    return words + was.filter { !now.contains(subject($0)) }.map { "no longer \(subject($0))" }
  }

  package func disallow(_ item: ExternalAccess) -> (String, [Run]) {
    ("no longer allowed", [Run(item.text, .look)])
  }

  package func guards(_ change: GuardsChange) -> (String, [Run]) {
    var details: [Run] = []
    for demand in change.dropped { details.append(.apart("no longer demanded: \(demand)", .look)) }
    for words in change.waived { details.append(.apart(words, .look)) }
    let lead = change.dropped.isEmpty ? "" : "demanded: "
    for demand in change.demanded { details.append(.apart("\(lead)\(demand)")) }
    for words in change.revoked { details.append(.apart("no longer: \(words)")) }
    guard change.isLoosening else { return ("recorded", details) }
    return ("loosened", details + [StepMessages.look])
  }

  package func rewrap(_ rewrap: Rewrap) -> (String, [Run]) {
    let after = Dictionary(rewrap.recipients.map { ($0.name.name, $0.value) }, uniquingKeysWith: { $1 })
    let before = Dictionary(
      (recorded?.recipients ?? [:]).map { ($0.key.name, $0.value) }, uniquingKeysWith: { $1 })
    func named(_ name: String, _ recipient: Recipient?) -> String {
      guard let recipient else { return name }
      return "\(name) (\(Self.comparable(recipient.publicKey))\(recipient.role == .plan ? ", plan only" : ""))"
    }
    // The same name with another key is another person, or an attacker.
    let replaced = rewrap.added.filter { name in
      before[name].map { $0.publicKey != after[name]?.publicKey } ?? false
    }
    var runs: [Run] = names(
      rewrap.added.filter { !replaced.contains($0) }.map { named($0, after[$0]) }, after: "can now open it:")
    runs += names(
      rewrap.removed.filter { !replaced.contains($0) }.map { named($0, before[$0]) }, after: "can no longer open it:")
    for name in replaced.sorted() {
      let (old, new) = (before[name]?.publicKey ?? "", after[name]?.publicKey ?? "")
      runs.append(.apart("\(name)'s key is replaced: \(Self.comparable(old)) by \(Self.comparable(new))"))
    }
    if rewrap.replacesRootKey { runs.append(.apart("fresh root key")) }
    runs += exposing(rewrap)
    return ("\(rewrap.recipients.count) can open it", runs + [StepMessages.look])
  }

  /// The values that become exposed to those who leave.
  private func exposing(_ rewrap: Rewrap) -> [Run] {
    guard let recorded, rewrap.freshRoot != true else { return [] }
    let after = Dictionary(rewrap.recipients.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    let leaving = recorded.recipients.leaving(for: after)
    let count = recorded.keys.count + recorded.accounts.values.count { $0.signIn != nil }
    guard !leaving.isEmpty, count > 0 else { return [] }
    return [
      .apart("exposed: \(Spans.count(count, "value")) that \(leaving.map(\.name).joined(separator: ", ")) could read")
    ]
  }

  package func store(_ write: KeyWrite) -> (String, [Run]) {
    var runs: [Run] =
      switch write.value {
      case .generated(let value): [.apart(value.planned)]
      case .minted: [.apart(made(write))]
      case .composed(let composition): [.apart(composition.words), StepMessages.look]
      case .source, .firstSource, .given: origin(of: write).map { [.apart("from \($0)")] } ?? []
      }
    if case .firstSource = write.value { runs.append(.apart("read at apply")) }
    // The declared provider receives the value, so a reviewer has to check both provider and source.
    runs += given(write) + checked(write) + (write.isChecked && !write.isMinted ? [StepMessages.look] : [])
    return (model(write.facts), runs + expiry(write.facts, write.issuedAt) + readers(write.facts))
  }

  /// The place where a key was made, or is made by another step.
  private func made(_ write: KeyWrite) -> String {
    "the key that is made at \(write.facts.mintedAt ?? "its provider")"
  }

  /// The keys that end at their provider.
  package func ending(_ end: IssuedKeys) -> [Run] {
    names(end.keys.map(\.id), after: "at \(end.keys.first?.place.brief ?? "the provider"):")
      + (isLeaving ? [StepMessages.look] : [])
  }

  /// Whether keys at the provider are revoked because the key is no longer declared.
  package var isLeaving: Bool { step.cause == .manifest }

  /// The instructions for making a key by hand.
  package func issue(_ manual: ManualMint, _ id: Identifier<Key>) -> [Run] {
    [Run(manual.page, .look), .apart(manual.steps), .apart("then \(manual.command(id))")]
  }

  /// The key at the provider, and the date of issue, that a person named with the value.
  private func given(_ write: KeyWrite) -> [Run] {
    (write.issued.map { [.apart("\($0.id) at \($0.place.brief)")] } ?? [])
      + (write.issuedAt.map { [.apart("issued \($0.date)")] } ?? [])
  }

  private func checked(_ write: KeyWrite) -> [Run] {
    write.isChecked ? [.apart("checked at \(write.facts.provider) first")] : []
  }

  /// The recipients who can open the value, unless all with full access can.
  private func readers(_ facts: KeyFacts) -> [Run] {
    facts.recipients.map { [.apart("only for \(Spans.list($0.map(\.name), showing: 8))")] } ?? []
  }

  /// The recipients who can open the value from now on, and those who no longer can: as in a change of the store's recipients.
  private func readers(of new: KeyFacts) -> [Run] {
    guard changesReaders(to: new), let record else { return [] }
    func names(_ facts: KeyFacts) -> Set<String>? {
      if let names = facts.recipients { return Set(names.map(\.name)) }
      return recorded.map { recorded in
        Set(recorded.recipients.filter { $0.value.role == .full }.map(\.key.name))
      }
    }
    var runs: [Run] = [.apart(new.recipients == nil ? "for all recipients" : readers(new).map(\.text).joined())]
    if let old = names(record.facts), let new = names(new) {
      runs += self.names(new.subtracting(old).sorted(), after: "can now open it:")
      runs += self.names(old.subtracting(new).sorted(), after: "can no longer open it:")
      if !old.isSubset(of: new) { runs.append(.apart("the value is exposed to them")) }
    }
    return runs + [StepMessages.look]
  }

  /// Whether the value of a recorded key gets other readers: to be reviewed as a new recipient is.
  package func changesReaders(to new: KeyFacts) -> Bool {
    record.map { $0.facts.recipients != new.recipients } ?? false
  }

  /// The origin of a value; for a deferred write, all sources.
  private func origin(of write: KeyWrite) -> String? {
    if case .firstSource = write.value { write.facts.sources.joined(separator: ", then ") } else { write.origin }
  }

  package func adopt(_ write: KeyWrite, _ origin: String) -> (String, [Run]) {
    (model(write.facts), [.apart("adopted from \(origin)")] + expiry(write.facts) + readers(write.facts))
  }

  package func replace(_ write: KeyWrite) -> (String, [Run]) {
    var runs: [Run] = []
    // The source is read only once it is allowed: whether its value differs is unknown until then.
    if step.cause == .manifest, step.ground.source == nil, !write.isMinted, write.composition == nil,
      let origin = origin(of: write)
    {
      return (
        "value may change",
        [.apart("from \(origin)"), .apart("read at apply")] + checked(write) + expiry(write.facts)
          + readers(of: write.facts)
      )
    }
    switch (write.value, write.origin) {
    case (.generated(let value), _): runs.append(.apart(value.planned))
    case (.minted, _): runs.append(.apart(made(write)))
    case (.composed(let composition), _): runs += composed(composition, isChanged: changesTemplate(to: write.facts))
    case (_, let origin?) where step.cause == .sourceChanged:
      let since = record.map { " since \($0.version.storedAt.date)" } ?? ""
      runs.append(.apart("\(origin) changed\(since)"))
    case (_, let origin?): runs.append(.apart("from \(origin)"))
    case (_, nil): break
    }
    runs += given(write) + checked(write) + expiry(write.facts, write.issuedAt)
    if let origin = replacedOrigin(by: write) {
      runs += [.apart("replaces the value from \(origin)"), StepMessages.look]
    }
    return ("value replaced", runs + readers(of: write.facts))
  }

  /// Whether the value of a recorded key is made in another way from now on: a template decides where the values of its parts go.
  package func changesTemplate(to new: KeyFacts) -> Bool {
    guard let record, let composition = new.composition else { return false }
    return record.facts.composition != composition
  }

  /// The keys that a value is made of; of one that is made again only those with a new value.
  private func composed(_ composition: Composition, isChanged: Bool) -> [Run] {
    guard step.cause == .follows else {
      return [.apart(composition.words)] + (isChanged ? [StepMessages.look] : [])
    }
    let new = composition.parts.filter { part in
      step.after.contains(.key(part))
        || record?.version.parts.contains { old in
          old.key == part && recorded?.keys[part].map { old.isSame(as: $0.version) } == true
        } == false
    }
    return [.apart("from \(Spans.list((new.isEmpty ? composition.parts : new).map(\.name), showing: 8))")]
  }

  /// The origin of a value that a generated one replaces; nil if keyplan has generated that one, too, or a person has set it. Programs that
  /// use the original value would not accept a random one.
  package func replacedOrigin(by write: KeyWrite) -> String? {
    guard write.isGenerated || write.isMinted || write.composition != nil, let origin = record?.version.origin else {
      return nil
    }
    let isOwn =
      GeneratedValue.form(in: origin) != nil || Minting.place(in: origin) != nil || Composition.isCanonical(origin)
    return isOwn ? nil : origin
  }

  /// The differences from the record; for a saved plan, which is shown without records, the new facts.
  package func update(_ write: KeyWrite) -> (String, [Run]) {
    guard let record else { return ("updated", [.apart(model(write.facts))]) }
    let (old, new) = (record.facts, write.facts)
    var runs: [Run] = []
    func change(_ name: String, _ old: String?, _ new: String?) {
      guard old != new else { return }
      runs.append(.apart("\(name) \(old ?? "none") \(style.text(.arrow)) \(new ?? "none")"))
    }
    change("provider", old.provider, new.provider)
    for text in KeyText.allCases { change(text.rawValue, old.texts[text], new.texts[text]) }
    change("variable", old.variable, new.variable)
    change("issued", old.issued?.date, new.issued?.date)
    if old.expiry != new.expiry {
      let state = record.state(under: new, at: now)
      runs.append(.apart(state.map { Spans.expiry($0, at: now) } ?? "no longer expires"))
    }
    if case .source = write.value, let origin = write.origin, origin != record.version.origin {
      runs.append(.apart("now from \(origin)"))
    } else if old.sources != new.sources {
      runs += sources(of: new, was: old)
    }
    if old.isProtected != new.isProtected {
      runs.append(.apart(new.isProtected ? "now protected" : "no longer protected"))
    }
    if old.labels != new.labels { runs.append(.apart("labels changed")) }
    runs += given(write) + readers(of: new)
    return ("updated", runs)
  }

  private func sources(of new: KeyFacts, was old: KeyFacts) -> [Run] {
    let next: Run
    if let generated = new.generated {
      next = .apart("next value generated: \(generated)")
    } else if let place = new.mintedAt {
      next = .apart("next key made at \(place)")
    } else if let composition = new.composition {
      return [.apart("next value \(composition.words)"), StepMessages.look]
    } else {
      return [.apart(new.sources.isEmpty ? "no source any more" : "sources changed")]
    }
    guard startsMaking(new) else { return [next] }
    let left = old.sources.map { Run.apart("no longer from \($0)") }
    return left + [.apart("the value is kept"), next, StepMessages.look]
  }

  /// Whether a key whose value came from somewhere else is to be generated, or made elsewhere, from now on.
  package func startsMaking(_ new: KeyFacts) -> Bool {
    guard let record else { return false }
    if let place = new.mintedAt { return record.facts.mintedAt != place }
    return new.generated != nil && record.facts.generated == nil
  }

  package func sync(_ write: TargetWrite) -> (String, [Run]) {
    let all = write.entries
    var shown = all[...]
    if all.count > Self.namesShown, !style.showsAll {
      // External changes first.
      let loud = all.filter { $0.reason.isLoud } + all.filter { !$0.reason.isLoud }
      shown = loud.prefix(Self.namesShown).sorted { $0.name < $1.name }[...]
    }
    var runs = shown.map { Run("\($0.name) (\($0.reason.words)),") }
    close(&runs, left: all.count - shown.count)
    let what = all.isEmpty ? "mode changed" : "writes \(all.count) of \(Spans.count(write.total, "name"))"
    if let mode = write.mode {
      runs.append(.apart("mode \(mode.mode)" + (mode.was.map { ", was \($0)" } ?? "")))
      if mode.isLoosening { runs.append(StepMessages.look) }
    }
    if let effect = write.takesEffect?.sentencePart { runs.append(.apart(effect)) }
    if let notice = write.notice { runs.append(.apart(notice)) }
    return (what, runs)
  }

  package func withdraw(_ removal: TargetRemoval) -> (String, [Run]) {
    var runs: [Run] = []
    runs += names(removal.names, after: "from \(removal.destination.words):")
    runs += names(removal.released, after: "left as found:")
    if removal.isMove { runs.append(.apart("(the target moves)")) }
    if let notice = removal.notice { runs.append(.apart(notice)) }
    return (removal.names.isEmpty ? "nothing to remove" : "\(Spans.count(removal.names.count, "name")) removed", runs)
  }

  package func run(_ hook: TargetHook) -> (String, [Run]) {
    (
      step.cause == .interrupted ? "runs" : "then runs",
      [Run(hook.line, .look)]
    )
  }

  package func retire() -> [Run] {
    guard let record, let state = record.state(under: facts, at: now) else {
      return []
    }
    return [.apart(Spans.expiry(state, at: now))]
  }

  package func revoke(_ revocation: KeyRevocation) -> [Run] {
    var runs = [Run("version \(revocation.version)"), .apart("no command reads it from now on")]
    if let reason = revocation.reason { runs.append(.apart("reason: \(reason)")) }
    return runs + [StepMessages.look]
  }

  package func purge(_ purge: KeyPurge) -> [Run] {
    var runs: [Run] = []
    if !purge.versions.isEmpty {
      let numbers = purge.versions.map(String.init).joined(separator: ", ")
      runs.append(.apart("version\(purge.versions.count == 1 ? "" : "s") \(numbers)"))
    }
    if !purge.forgotten.isEmpty { runs.append(.apart("\(Spans.count(purge.forgotten.count, "forgotten record"))")) }
    runs.append(.apart(purge.isAll ? "with the current value; cannot be restored" : "cannot be restored"))
    return runs + [StepMessages.look]
  }

  package func forgetting() -> (String, [Run]) {
    guard isByHand else { return ("no longer declared", []) }
    guard case .key = step.address else { return ("forgotten", []) }
    return ("forgotten", [Run("can be restored for \(ForgottenKey.restorable.spoken)")])
  }

  /// Whether a person requested this step.
  package var isByHand: Bool { step.cause == .byHand }

  package func rollback(_ rollback: KeyRollback) -> [Run] {
    let versions = record?.history ?? forgotten.flatMap(\.record.history)
    let stored = versions.first { $0.number == rollback.to }.map { " of \($0.storedAt.date)" } ?? ""
    return [Run("to version \(rollback.to)\(stored)"), .apart("was version \(rollback.was)")]
  }

  package func restore(_ restoration: KeyRestoration) -> [Run] {
    let at = forgotten.first { $0.serial == restoration.serial }.map { " \($0.at.date)" } ?? ""
    return [Run("forgotten\(at) at serial \(restoration.serial)")]
  }

  private var forgotten: [ForgottenKey] { recorded?.forgotten.filter { .key($0.key) == step.address } ?? [] }

  private func model(_ facts: KeyFacts) -> String { facts.model.map { "\(facts.provider) \($0)" } ?? facts.provider }

  private func expiry(_ facts: KeyFacts, _ issuedAt: Moment? = nil) -> [Run] {
    let birth = issuedAt ?? KeyRecord.issuedAt(of: nil, facts, over: record) ?? now
    return facts.expiry.map { [.apart(Spans.expiry($0.state(from: birth, at: now), at: now))] } ?? []
  }

  private func names(_ names: [String], after lead: String?) -> [Run] {
    guard !names.isEmpty else { return [] }
    var runs = names.prefix(Self.namesShown).map { Run($0 + ",") }
    close(&runs, left: names.count - runs.count)
    if let lead { runs.insert(.apart(lead), at: 0) }
    return runs
  }

  private func close(_ runs: inout [Run], left: Int) {
    if left > 0 {
      runs.append(Run("and \(left) more"))
      return
    }
    if let last = runs.popLast() { runs.append(Run(String(last.text.dropLast()), last.tint, gap: last.gap)) }
  }
}

extension TargetWrite.Reason {
  /// The reason that a name is written, as text.
  package var words: String {
    switch self {
    case .new: "new"
    case .alreadyThere: "already there"
    case .takeOver: "taken over"
    case .keyChanged: "key changed"
    case .changedThere: "changed at the target"
    case .missingThere: "missing at the target"
    case .notReadable: "not seen"
    case .notCompared: "compared at apply"
    }
  }

  /// Whether the target was changed outside of keyplan.
  package var isLoud: Bool {
    switch self {
    case .takeOver, .changedThere, .missingThere: true
    case .new, .alreadyThere, .keyChanged, .notReadable, .notCompared: false
    }
  }
}

extension Composition {
  /// `composed of db-password, api-user`
  package var words: String { "composed of \(Spans.list(parts.map(\.name), showing: 8))" }
}

extension GeneratedValue {
  /// `will be generated: hex, 32 bytes`
  fileprivate var planned: String { "will be generated: \(form)" }
}
