package import KeyplanApply
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting
import TestTools

/// One small world that the renderings are shown with: the one that the command line's design shows.
package enum Sample {
  package static let now = moment("2026-11-21T08:00:00Z")
  package static let store = StoreState(
    id: "7f3a09c2d4e6810fb5a7c9d3e1f20468", serial: 41, epoch: 2, appliedAt: moment("2026-11-18T09:12:00Z"))
  package static let id = "kp1-4tq7dk2m9xw3f8ahc5ne6vby1r"

  /// A job that applies.
  package static let invocation = Invocation(
    command: "keyplan apply", recipient: recipient("ci"),
    job: JobFacts(
      service: "GitHub", actor: "octocat", workflow: "deploy", commit: "c0ffee1",
      url: "https://github.example/ada/shop/actions/runs/7"))

  /// The plans that were applied, the last one not completely.
  package static let applied = [
    AppliedPlan(id: "kp1-old", at: moment("2026-11-01")),
    AppliedPlan(
      id: "kp1-ada", at: moment("2026-11-17T10:00:00Z"),
      invocation: Invocation(command: "keyplan keys set", recipient: recipient("ada")), done: ["store": 1]),
    AppliedPlan(
      id: "kp1-ci", at: moment("2026-11-18T09:12:00Z"), isIncomplete: true, invocation: invocation,
      done: ["store": 2, "sync": 1, "later": 3]),
  ]

  /// The store after them.
  package static let appliedStore = StoreState(
    id: store.id, serial: 41, epoch: 2, appliedAt: moment("2026-11-18T09:12:00Z"), applied: applied)

  package static let recorded = Recorded(
    store: store,
    keys: [
      key("autumn"): record(KeyFacts(provider: "generic"), at: "2026-01-03"),
      key("claude"): KeyRecord(
        revision: 5, facts: claude,
        version: KeyVersion(
          number: 3, fingerprint: fingerprint(3), storedAt: moment("2026-07-02T10:30:00Z"),
          origin: "dotenv://secrets.env#CLAUDE"),
        history: [
          KeyVersion(number: 2, fingerprint: fingerprint(2), storedAt: moment("2026-03-01"), origin: nil),
          KeyVersion(
            number: 1, fingerprint: fingerprint(1), storedAt: moment("2025-12-24"), origin: "env://ANTHROPIC_API_KEY"),
        ]),
      key("weather"): record(
        KeyFacts(
          provider: "openweather", variable: "WEATHER_KEY",
          expiry: Expiry(.after(.days(90)), warn: .days(14), then: .warn), sources: ["env://WEATHER_KEY"]),
        at: "2026-09-02"),
    ],
    slots: [slot("assistant"): SlotRecord(revision: 2, key: key("claude"), since: moment("2026-02-01"))],
    targets: [
      target("app"): TargetRecord(
        revision: 7, destination: app,
        entries: [
          "WEATHER_KEY": TargetRecord.Entry(
            key: key("weather"), fingerprint: fingerprint(9), syncedAt: moment("2026-11-18")),
          "AUTUMN": TargetRecord.Entry(
            key: key("autumn"), fingerprint: fingerprint(8), syncedAt: moment("2026-11-18")),
        ])
    ],
    recipients: [
      recipient("anna"): Recipient(publicKey: "age1anna"), recipient("ci"): Recipient(publicKey: "age1ci", role: .plan),
    ],
    surface: Surface([ExternalAccess(.command, "op read op://team/weather/key"): []]),
    interrupted: [.target(target("app")): moment("2026-11-20T23:59:00Z")])

  /// The same with a rollback behind it, and forgotten keys.
  package static let past: Recorded = {
    var past = recorded
    past.keys[key("claude")]?.history[0] = KeyVersion(
      number: 4, fingerprint: fingerprint(1), storedAt: moment("2026-08-01"), origin: "dotenv://secrets.env#CLAUDE")
    past.keys[key("claude")]?.rejected = fingerprint(1)
    past.keys[key("autumn")]?.retiredAt = moment("2026-05-01")
    past.forgotten = [
      ForgottenKey(
        key: key("weather"), serial: 30, at: moment("2026-11-02"),
        record: record(KeyFacts(provider: "a"), at: "2026-01-01")),
      ForgottenKey(
        key: key("spring"), serial: 31, at: moment("2026-11-03"),
        record: record(KeyFacts(provider: "a"), at: "2026-01-02")),
      ForgottenKey(
        key: key("weather"), serial: 32, at: moment("2026-11-04"),
        record: record(KeyFacts(provider: "a"), at: "2026-01-03")),
    ]
    return past
  }()

  package static let claude = KeyFacts(
    provider: "anthropic", model: "claude-opus-5", variable: "ANTHROPIC_API_KEY",
    sources: ["dotenv://secrets.env#CLAUDE"], isProtected: true, labels: ["team": "apps"])
  package static let openai = KeyFacts(
    provider: "openai", model: "gpt-5.1", variable: "OPENAI_API_KEY",
    expiry: Expiry(.after(.days(90)), warn: .days(14), then: .retire), sources: ["env://OPENAI_API_KEY"])
  package static let app = Destination(type: "dotenv", location: "app.env")

  package static let steps: [Step] = [
    Step(
      .store(.key(key("openai-main"), .store(KeyWrite(facts: openai, source: 0)))), because: .manifest,
      on: Precondition(source: fingerprint(4))),
    Step(
      .store(.key(key("claude"), .replace(KeyWrite(facts: claude, source: 0)))), because: .sourceChanged,
      on: Precondition(revision: 5, source: fingerprint(5))),
    Step(
      .store(.activate(slot("assistant"), key("openai-main"), was: key("claude"))), because: .manifest,
      on: Precondition(revision: 2), after: [.key(key("openai-main"))]),
    Step(
      .outside(
        .sync(
          target("app"),
          TargetWrite(
            destination: app,
            entries: [
              TargetWrite.Entry(name: "OPENAI_API_KEY", key: key("openai-main"), reason: .new),
              TargetWrite.Entry(name: "WEATHER_KEY", key: key("weather"), reason: .changedThere),
            ], total: 2))), because: .drift,
      on: Precondition(revision: 7, target: ["WEATHER_KEY": fingerprint(6)]),
      after: [.key(key("openai-main")), .slot(slot("assistant"))]),
    Step(.store(.key(key("autumn"), .forget)), because: .manifest, on: Precondition(revision: 1)),
  ]

  package static let widening: [Step] = [
    Step(
      .store(.allow(ExternalAccess(.command, "op read op://team/openai/key"), AccessGrant([]))),
      because: .manifest),
    Step(.store(.allow(ExternalAccess(.host, "bao.example.org:8200"), AccessGrant([]))), because: .manifest),
    Step(
      .store(
        .rewrap(
          Rewrap(
            recipients: [
              Rewrap.Recipient(name: recipient("anna"), value: Recipient(publicKey: "age1anna")),
              Rewrap.Recipient(name: recipient("ci"), value: Recipient(publicKey: "age1ci", role: .plan)),
            ], added: ["ci"], removed: ["bob"]))), because: .manifest),
  ]

  package static let adopting: [Step] = [
    Step(
      .store(
        .key(
          key("openai-main"),
          .adopt(KeyWrite(facts: openai, source: nil), from: "dotenv://legacy/production.env#OPENAI_API_KEY"))),
      because: .migration),
    Step(
      .outside(
        .removeOriginal(
          migration: 2, of: .key(key("openai-main")), from: "dotenv://legacy/production.env#OPENAI_API_KEY")),
      because: .migration, after: [.key(key("openai-main"))]),
    Step(.outside(.removeOriginal(migration: 3, of: .key(key("b")), from: "file://b")), because: .interrupted),
  ]

  package static let removing: [Step] = [
    Step(
      .outside(
        .withdraw(target("app"), TargetRemoval(destination: app, names: ["AUTUMN", "SPRING"], released: ["WINTER"]))),
      because: .manifest, on: Precondition(revision: 7)),
    Step(
      .outside(
        .run(
          target("app"), TargetHook(Reference(scheme: "command", arguments: ["reload", "a b"], isLocal: true)))),
      because: .follows, on: Precondition(revision: 7)),
    Step(.store(.key(key("weather"), .retire)), because: .expiry, on: Precondition(revision: 1)),
    Step(
      .store(.deactivate(slot("assistant"), was: key("claude"))), because: .manifest, on: Precondition(revision: 2)),
    Step(.store(.settle(.key(key("old")))), because: .interrupted),
    Step(.store(.disallow(ExternalAccess(.path, "/srv/old|er/.env"))), because: .manifest),
    Step(
      .store(
        .key(
          key("claude"),
          .update(
            KeyWrite(
              facts: KeyFacts(
                provider: "anthropic", model: "claude-opus-6", variable: "ANTHROPIC_API_KEY",
                expiry: Expiry(.on(moment("2027-01-01")), warn: .days(14), then: .warn), sources: ["env://CLAUDE"]),
              source: 0)))), because: .manifest, on: Precondition(revision: 5)),
  ]

  /// What people ask for by hand.
  package static let amending: [Step] = [
    Step(
      .store(.key(key("claude"), .rollback(KeyRollback(to: 1, was: 3, rejected: fingerprint(3))))), because: .byHand,
      on: Precondition(revision: 5)),
    Step(
      .store(.key(key("spring"), .restore(KeyRestoration(serial: 31, rejected: nil)))), because: .byHand),
    Step(
      .store(
        .key(
          key("weather"),
          .accept(KeyAcceptance(target: target("app"), destination: app, name: "WEATHER_KEY", rejected: fingerprint(7)))
        )), because: .byHand, on: Precondition(revision: 1, source: fingerprint(6))),
    Step(.store(.forgetTarget(target("app"))), because: .byHand, on: Precondition(revision: 7)),
    Step(.store(.key(key("autumn"), .forget)), because: .byHand, on: Precondition(revision: 1)),
    Step(
      .store(.deactivate(slot("assistant"), was: key("claude"))), because: .byHand, on: Precondition(revision: 2)),
  ]

  /// What people ask for once a value has leaked.
  package static let leaking: [Step] = [
    Step(
      .store(.key(key("claude"), .revoke(KeyRevocation(version: 2, reason: "leaked in a log")))), because: .byHand,
      on: Precondition(revision: 5)),
    Step(
      .store(.key(key("claude"), .purge(KeyPurge(versions: [2, 1], forgotten: [31], isAll: false)))),
      because: .byHand, on: Precondition(revision: 5)),
  ]

  package static let warning = Diagnostic(
    .key(key("weather"), .expiresSoon(.after(.days(90)), on: moment("2026-12-01"))),
    at: FileLocation(file: "keyplan.yaml", line: 21, column: 2, width: 7))
  package static let error = Diagnostic(
    .unknownField, "\"provder\" is not a field of a key.", hint: "Did you mean `provider`?",
    at: FileLocation(file: "keyplan.yaml", line: 8, column: 5, width: 7), of: .key(key("claude")))
  package static let unreachable = Diagnostic(
    .target(
      target("web"),
      .failed(
        AccessFailure(.unreachable, "The host does not answer."),
        at: Destination(type: "vault", location: "web.example"))))

  package static let report = PlanReport(
    Plan(steps: steps), diagnostics: [warning], environment: "production", store: store, id: id, recorded: recorded)

  package static let findings: [Finding] = [
    Finding(
      .valueChanged(app), at: .entry(target("app"), name: "WEATHER_KEY"), level: .broken, since: moment("2026-11-18")),
    Finding(
      .valueMissing(app), at: .entry(target("app"), name: "AUTUMN"), level: .broken, since: moment("2026-11-18")),
    Finding(
      .sourceChanged("dotenv://secrets.env#CLAUDE"), at: .key(key("claude")), level: .pending,
      since: moment("2026-07-02")),
    Finding(.interrupted, at: .target(target("app")), level: .pending, since: moment("2026-11-20T23:59:00Z")),
    Finding(
      .expiresSoon(.after(.days(90)), on: moment("2026-12-01")), at: .key(key("weather")), level: .soon, since: nil),
  ]

  package static let drift = DriftReport(
    findings.reversed(), diagnostics: [unreachable], environment: "production", store: store)

  package static let outcome = [
    StepReport(steps[0], .done),
    StepReport(steps[1], .stale(.changed(.value(steps[1].address)))),
    StepReport(steps[2], .done),
    StepReport(steps[3], .failed(.outside(AccessFailure(.unreadable, "Permission denied while writing app.env.")))),
    StepReport(steps[4], .notTried(.dependency(.target(target("app"))))),
  ]

  package static let listing = KeyListing(
    Manifest(keys: [
      key("claude"): Key(facts: claude, sources: []), key("openai-main"): Key(facts: openai, sources: []),
      key("weather"): Key(
        facts: recorded.keys[key("weather")]?.facts ?? KeyFacts(provider: "generic"), sources: []),
    ]), recorded, at: now)

  package static func line(_ place: FileLocation) -> String? {
    switch place.line {
    case 8: "    provder: anthropic"
    case 21: "\tweather: { provider: openweather }"
    default: nil
    }
  }

  package static func moment(_ text: String) -> Moment { Moment(text) ?? Moment(seconds: 0) }
  package static func fingerprint(_ byte: UInt8) -> Fingerprint {
    Fingerprint(repeatElement(byte, count: 16).map { $0 }) ?? fingerprint(0)
  }
  package static func key(_ name: String) -> Identifier<Key> { named(name) }
  package static func slot(_ name: String) -> Identifier<Slot> { named(name) }
  package static func target(_ name: String) -> Identifier<Target> { named(name) }
  package static func rule(_ name: String) -> Identifier<Rule> { named(name) }
  package static func recipient(_ name: String) -> Identifier<Recipient> { named(name) }

  private static func named<Thing>(_ name: String) -> Identifier<Thing> {
    guard let identifier = Identifier<Thing>(name) else { preconditionFailure("\(name) is not a name") }
    return identifier
  }

  private static func record(_ facts: KeyFacts, at date: String) -> KeyRecord {
    KeyRecord(
      revision: 1, facts: facts,
      version: KeyVersion(number: 1, fingerprint: fingerprint(7), storedAt: moment(date), origin: facts.sources.first))
  }
}
