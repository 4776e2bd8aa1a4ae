package import KeyplanModel
internal import KeyplanPlanning

/// The contents of the store, for people: all records, or one, values masked.
package enum ShowText {
  /// The store's own facts and the number of its records.
  package static func store(_ recorded: Recorded, style: Style) -> String {
    var page = Page(style: style)
    guard let store = recorded.store else {
      page.prose("There is no store yet. Create one with keyplan init.", indent: 0)
      page.end()
      return page.text
    }
    let retired = recorded.keys.values.count { $0.retiredAt != nil }
    let names = recorded.targets.values.reduce(0) { $0 + $1.entries.count }
    put(
      "store \(store.id)",
      [
        ("serial", [Run("\(store.serial)")]),
        ("epoch", [Run("\(store.epoch)")]),
        ("applied", [Run(store.lastApply(style) ?? "never")]),
        ("with", words(store.lastPlan?.invocation?.command)),
        ("done", words(store.lastPlan.flatMap { $0.invocation == nil ? nil : $0.sum })),
        ("in CI", words(store.lastPlan?.invocation?.job?.words)),
        ("keys", [Run("\(recorded.keys.count)")] + (retired > 0 ? [Run("(\(retired) retired)")] : [])),
        ("slots", [Run("\(recorded.slots.count)")]),
        ("targets", [Run("\(recorded.targets.count)")] + (names > 0 ? [Run("(\(Spans.count(names, "name")))")] : [])),
        (
          "accounts", list(recorded.accounts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value.facts.account))" })
        ),
        ("recipients", list(recorded.recipients.sorted { $0.key < $1.key }.map(recipient))),
        ("may touch", list(recorded.surface.items.sorted().map(\.description))),
        (
          "interrupted",
          list(recorded.interrupted.sorted { $0.key < $1.key }.map { "\($0.key) since \(style.time($0.value))" })
        ),
      ], on: &page)
    return page.text
  }

  /// One record; nil if there is none at this address.
  package static func record(_ address: Address, in recorded: Recorded, style: Style, at now: Moment) -> String? {
    var page = Page(style: style)
    switch address {
    case .key(let id):
      guard let record = recorded.keys[id] else { return parts(address, in: recorded, style: style, at: now) }
      put("\(address)", key(id, record, recorded, style, now), on: &page)
    case .slot(let id):
      guard let record = recorded.slots[id] else { return nil }
      let standing = recorded.keys[record.key].flatMap { $0.serving(at: now).unusableWords }
      put(
        "\(address)",
        [
          ("active", [Run("\(record.key)")] + (standing.map { [.apart("(\($0))", .warning)] } ?? [])),
          ("since", [Run(style.time(record.since))]),
        ], on: &page)
    case .target(let id):
      guard let record = recorded.targets[id] else { return nil }
      put("\(address)", [("place", [Run("\(record.destination.location) (\(record.destination.type))")])], on: &page)
      putEntries(record.entries, on: &page)
    case .entry(let id, let name):
      guard let entry = recorded.targets[id]?.entries[name] else { return nil }
      put("\(address)", [("key", [Run("\(entry.key)")]), ("synced", [Run(style.time(entry.syncedAt))])], on: &page)
    case .recipients:
      let everybody = recorded.recipients.sorted { $0.key < $1.key }
      guard !everybody.isEmpty else { return nil }
      let roles = everybody.map {
        (
          "\($0.key)",
          [Run(Recipient.abbreviated($0.value.publicKey))] + ($0.value.role == .plan ? [Run("(plan only)")] : [])
        )
      }
      put("\(address)", roles, on: &page)
    case .surface(let item):
      guard recorded.surface.contains(item) else { return nil }
      put("\(address)", [("allowed", [Run("yes")])], on: &page)
    case .calendar(let id):
      guard let record = recorded.accounts[id] else { return nil }
      put("\(address)", account(record, style, now), on: &page)
    case .rules:
      let guards = recorded.guards
      guard guards != Guards() else { return nil }
      let lines =
        guards.demands.sorted().map { ("demanded", [Run("\($0)")]) }
        + guards.waivers.sorted().map { ("leave", [Run($0)]) }
      put("\(address)", lines, on: &page)
    case .store:
      guard let store = recorded.store else { return nil }
      put(
        "\(address)",
        [("id", [Run(store.id)]), ("serial", [Run("\(store.serial)")])], on: &page
      )
    case .migration: return nil
    }
    return page.text
  }

  /// The records of all parts of the key at an address, one after the other; nil for any other key.
  private static func parts(_ address: Address, in recorded: Recorded, style: Style, at now: Moment) -> String? {
    let parts = recorded.parts(at: address).compactMap { self.record($0, in: recorded, style: style, at: now) }
    return parts.isEmpty ? nil : parts.joined(separator: "\n")
  }

  private static func key(
    _ id: Identifier<Key>, _ record: KeyRecord, _ recorded: Recorded, _ style: Style, _ now: Moment
  ) -> [(String, [Run])] {
    let facts = record.facts
    let slots = recorded.slots.filter { $0.value.key == id }.keys.sorted().map(\.name)
    let places = recorded.targets.sorted { $0.key < $1.key }.flatMap { target, record in
      record.entries.filter { $0.value.key == id }.keys.sorted().map { "target.\(target).\($0)" }
    }
    let texts = KeyText.allCases.map { ($0.rawValue, words(facts.texts[$0])) }
    return [("provider", words(facts.provider))] + texts + [
      ("variable", words(facts.variable)),
      ("value", words(style.text(.mask))), ("version", version(record.version, style)),
      ("issued", words(record.version.issuedAt?.date)),
      ("format", words(record.version.missedFormat == nil ? nil : "not the provider's when it was stored")),
      ("retired", words(record.retiredAt.map(style.time))),
      (
        "revoked",
        words(
          record.revocation.map {
            style.time($0.at) + ($0.part.map { " with \($0)" } ?? "") + ($0.reason.map { " (\($0))" } ?? "")
          })
      ),
      ("checked", words(record.version.check.map { "\($0.outcome.word), \(style.time($0.at))" })),
      (
        "exposed",
        list(
          record.exposures.map { "to \($0.recipient) until \(style.time($0.since))" }
            + (record.exposedParts.isEmpty ? [] : ["in \(record.exposedParts.map(\.name).joined(separator: ", "))"]))
      ),
      (
        "end",
        words(
          record.ending(at: now).map {
            Spans.expiry($0.state, at: now) + (record.endingPart(at: now).map { " (\($0))" } ?? "")
          })
      ),
      ("served", served(record.serving(at: now))),
      ("sources", list(facts.composition.map { [$0.words] } ?? facts.sources)),
      ("template", words(facts.composition?.template)),
      ("protected", words(facts.isProtected ? "yes" : nil)),
      ("only for", words(facts.recipients?.map(\.name).joined(separator: ", "))),
      ("labels", list(facts.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })),
      ("active in", list(slots)), ("synced to", list(places)),
    ] + issued(for: id, in: recorded).enumerated().map { ($0 == 0 ? "made" : "", issued($1, record, style)) }
      + RecordHistory.versions(of: record).filter { !$0.isCurrent }.enumerated().map {
        ($0 == 0 ? "history" : "", version($1.version, style) + $1.standing)
      }
  }

  /// The keys at the provider. They are recorded with one of the parts.
  private static func issued(for id: Identifier<Key>, in recorded: Recorded) -> [IssuedKey] {
    let parts = id.whole.map { recorded.parts(at: .key($0)) } ?? []
    let all = parts.isEmpty ? [.key(id)] : parts
    return all.flatMap { address -> [IssuedKey] in
      guard case .key(let part) = address else { return [] }
      return recorded.keys[part]?.issued ?? []
    }
  }

  /// A key at the provider, and which version it is.
  private static func issued(_ key: IssuedKey, _ record: KeyRecord, _ style: Style) -> [Run] {
    let use =
      switch key.version {
      case record.version.number: record.pending?.number == key.version ? "not used yet" : "version \(key.version)"
      case record.pending?.number: "not used yet"
      default: key.disabledAt == nil ? "replaced, to be revoked" : "replaced and disabled, to be revoked"
      }
    let end = key.expires.map { ", ends \(style.time($0))" } ?? ""
    return [Run(key.id), .apart("at \(key.place.brief)"), .apart("\(use), made \(style.time(key.mintedAt))\(end)")]
  }

  /// Nothing for a key that is served without a warning.
  private static func served(_ serving: Serving) -> [Run] {
    switch serving {
    case .asUsual: []
    case .refusedByProvider(let check, nil): [Run("with a warning: it \(check.words)")]
    case .pastItsEnd(_, nil): [Run("with a warning until an apply retires or replaces it")]
    case .refusedByProvider, .pastItsEnd: [Run("with a warning: \(serving.partWords ?? "")")]
    case .retired, .revoked: [Run("no" + (serving.partWords.map { ": \($0)" } ?? ""))]
    }
  }

  private static func account(_ record: AccountRecord, _ style: Style, _ now: Moment) -> [(String, [Run])] {
    let (facts, signIn) = (record.facts, record.signIn)
    let calendar = record.calendar.map { Run.words($0.name) + [Run("(\($0.id))")] }
    let access: String? =
      switch signIn?.access {
      case nil, .absent: nil
      case .until(let end): "until \(style.time(end))" + (end <= now ? ", expired" : "")
      case .unlimited: "no known expiry"
      }
    let end = signIn.flatMap { AccountForecast(facts, $0) }
    return [
      ("service", words(facts.service.rawValue)), ("account", words(facts.account)), ("client", words(facts.client)),
      ("tenant", words(facts.tenant)), ("url", words(facts.url)),
      (
        "endpoints", list(facts.endpoints.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key): \($0.value)" })
      ),
      ("calendar", calendar ?? []), ("signed in", words((signIn?.signedInAt).map(style.time))),
      ("refreshed", words(signIn?.refreshedAt.map(style.time))), ("access token", words(access)),
      ("refreshable", words(signIn.map { $0.isRefreshable ? "yes" : "no" })),
      ("not granted", list(signIn?.missing ?? [])),
      (
        "ended",
        words(signIn?.ended.map { "\(style.time($0.at)) (\($0.code.isEmpty ? $0.reason.rawValue : $0.code))" })
      ),
      (
        "refused",
        words(record.refusal.map { "\(style.time($0.since)) (\($0.code.isEmpty ? $0.reason.rawValue : $0.code))" })
      ),
      ("expires", words(end.map { "\($0.end.date), \($0.cause.words)" })),
      ("refresh began", words(signIn?.refreshBegan.map(style.time))),
    ]
  }

  private static func version(_ version: KeyVersion, _ style: Style) -> [Run] {
    var runs = [Run("\(version.number),"), Run("stored \(style.time(version.storedAt))")]
    runs.append(Run(version.source))
    return runs
  }

  private static func recipient(_ name: Identifier<Recipient>, _ recipient: Recipient) -> String {
    recipient.role == .plan ? "\(name) (plan only)" : "\(name)"
  }

  private static func words(_ text: String?) -> [Run] { text.map { [Run($0)] } ?? [] }

  private static func list(_ texts: [String]) -> [Run] {
    texts.enumerated().map { Run($0 == texts.count - 1 ? $1 : $1 + ",") }
  }

  /// A heading and its fields; those without words are left out.
  private static func put(_ heading: String, _ fields: [(name: String, words: [Run])], on page: inout Page) {
    page.put(heading, .strong)
    page.end()
    let shown = fields.filter { !$0.words.isEmpty }
    let longest = shown.lazy.map { Glyphs.columns(of: $0.name) }.max() ?? 0
    let common = min(longest, page.width / 3) + 4
    for field in shown {
      let indent = field.words.allSatisfy { page.hasRoom(for: $0.text, at: common) } ? common : 4
      page.move(to: 2)
      page.put(field.name, .faint)
      if Glyphs.columns(of: field.name) + 4 > indent { page.end() }
      page.move(to: indent)
      page.flow(field.words, indent: indent)
      page.end()
    }
  }

  private static func putEntries(_ entries: [String: TargetRecord.Entry], on page: inout Page) {
    guard !entries.isEmpty else { return }
    page.end()
    let sorted = entries.sorted { $0.key < $1.key }
    let rows = Rows(sorted.lazy.map { ($0.key, $0.value.key.name) }, width: page.width)
    for (name, entry) in sorted {
      rows.set(
        page.style.text(.dot), .faint, name, "\(entry.key)", [.apart("synced \(page.style.time(entry.syncedAt))")],
        on: &page)
    }
  }
}

extension AccountForecast.Cause {
  fileprivate var words: String {
    switch self {
    case .testing: "because the app is in testing"
    case .unused: "unless it is used"
    case .noRefreshToken: "no refresh token is stored"
    case .granted: "as granted by the service"
    }
  }
}

extension KeyVersion {
  /// `from dotenv://.env#A`, `generated: hex, 32 bytes`, `composed of db-password` or `by hand`
  fileprivate var source: String {
    guard let origin else { return "by hand" }
    if let composition = Composition(canonical: origin) { return composition.words }
    return GeneratedValue.form(in: origin).map { "generated: \($0)" } ?? "from \(origin)"
  }
}
