import Foundation
import KeyplanApply
import KeyplanModel
import KeyplanPlanning
import ReportSamples
import TestTools
import Testing

@testable import KeyplanReporting

/// Without Python and jsonschema the tests are skipped on a developer's machine, and fail where `CI` is set.
@Suite(
  "JSON for programs fits its schemas",
  .enabled(if: Python.path != nil || Python.isCI, "run make setup-test: jsonschema in KEYPLAN_TEST_PYTHON"))
struct RenderingDocumentTests {
  @Test("a plan with every effect and every diagnostic")
  func plan() throws {
    let everything = Diagnostic.Code.allCases.map { code in
      Diagnostic(code, "Words.", hint: "More.", at: Sample.error.place, of: .key(Sample.key("a")))
    }
    let report = PlanReport(
      Plan(steps: Self.everyStep), diagnostics: everything, environment: "production", store: Sample.store,
      id: Sample.id)
    #expect(Set(Self.everyStep.map(\.effect.action)) == Set(Action.allCases))
    try check(try Document.plan(report), "plan")
    try check(try Document.plan(PlanReport(Plan(steps: []))), "plan")
  }

  @Test("drift with every kind of finding")
  func drift() throws {
    let findings = Finding.Kind.allCases.map {
      Finding(Sample.fact($0), at: .entry(Sample.target("app"), name: "A B"), level: .soon, since: Sample.now)
    }
    try check(
      try Document.drift(
        DriftReport(findings + Sample.findings, diagnostics: [Sample.unreachable], store: Sample.store)),
      "drift")
    try check(try Document.drift(DriftReport([])), "drift")
    let passing = Outage(Sample.unreachable, since: Sample.now, until: Sample.now + .days(1))
    let known = LeftOut(findings[0], .baseline(until: Sample.now))
    try check(try Document.drift(DriftReport([], leftOut: [known], passing: [passing])), "drift")
  }

  @Test("diagnostics")
  func diagnostics() throws {
    try check(try Document.diagnostics([Sample.warning, Sample.error, Sample.unreachable]), "diagnostics")
    try check(try Document.diagnostics([]), "diagnostics")
  }

  @Test("changes that are watched")
  func watch() throws {
    for kind in [WatchChange.Kind.present, .added, .changed, .switched, .revoked, .retired, .removed] {
      for item in [Address.key(Sample.key("a")), .slot(Sample.slot("main"))] {
        let change = WatchChange(item, kind, key: Sample.key("a"), provider: "x\n\"y", version: 3, at: Sample.now)
        let line = try Document.watch(change)
        #expect(line.split(separator: "\n").count == 1)
        try check(line, "watch")
      }
    }
  }

  @Test("backends")
  func backends() throws {
    let full = BackendDescription(
      "acme", title: "Acme", help: "Acme.",
      connection: ConnectionGrammar(
        [
          BackendField("address", .url, isRequired: true, example: "https://a.example", help: "Where."),
          BackendField("token", .secret, variables: ["ACME_TOKEN"], help: "Who."),
          BackendField("tries", .int(1...9), default: "3", help: "How often."),
          BackendField("zone", .label, pattern: try FormatPattern("[a-z]{2}"), help: "Which."),
          BackendField("stage", .choice(["live", "test"]), help: "Which."),
        ], hosts: ["login.acme.example"]),
      reference: ReferenceGrammar(.place(what: "a place"), example: "acme://one", isLocal: false),
      target: TargetGrammar(
        fields: [BackendField("project", help: "The project.")],
        names: NameRule(.pattern(try FormatPattern("[A-Z]{1,9}")), reserved: ["X_"], longest: 9, foldsCase: true),
        limits: .init(valueBytes: 1, names: 2), readsBack: .presence, takesEffect: .restart),
      pace: Pace(concurrency: 2, gap: .milliseconds(250)))
    try check(try Document.text(BackendsDocument([full, BackendDescription("env", help: "Variables.")])), "backends")
    #expect(try Document.text(BackendsDocument([full])).contains(#""gapMilliseconds":250"#))
  }

  @Test("keys")
  func keys() throws {
    try check(try Document.keys(Sample.listing, environment: "production", store: Sample.store), "keys")
    try check(try Document.keys(KeyListing(nil, Recorded(), at: Sample.now), environment: nil, store: nil), "keys")
  }

  @Test("the report of a project")
  func inventory() throws {
    try check(try Document.text(InventoryDocument(RenderingInventoryTests.report())), "report")
    let empty = InventoryReport(
      DriftReport([]), Manifest(), Recorded(), accounts: [], file: "keyplan.yaml", at: Sample.now)
    try check(try Document.text(InventoryDocument(empty)), "report")
  }

  @Test("what became of a plan")
  func applied() throws {
    let results: [StepResult] = [
      .done, .failed(.reported(reason: "Words.", isUnreachable: false)), .stale(.notAsked), .notTried(.interrupted),
      .needsPerson(AccountNeed(facts: Sample.google, reason: .never)),
    ]
    let reports = Self.everyStep.enumerated().map { StepReport($1, results[$0 % results.count], note: .cannotRevoke) }
    let report = PlanReport(
      Plan(steps: Self.everyStep), diagnostics: [Sample.warning, Sample.error], environment: "production",
      store: Sample.store, id: Sample.id)
    let text = try Document.applied(report, reports)
    try check(text, "apply")
    #expect(text.contains(#""summary":{"done":\#((reports.count + 4) / 5),"errors":1,"failed""#))
    let heldBack = try Document.applied(report, nil)
    try check(heldBack, "apply")
    #expect(heldBack.contains(#""notTried":\#(reports.count),"#) && heldBack.contains("held back"))
    try check(try Document.applied(PlanReport(Plan(steps: [])), nil), "apply")
  }

  @Test("the records of a store, or one of them")
  func recorded() throws {
    var recorded = Sample.recorded
    recorded.keys[Sample.key("dated")] = KeyRecord(
      revision: 2,
      facts: KeyFacts(
        provider: "generic", variable: "A", expiry: Expiry(.on(Sample.now), warn: .days(1), then: .warn),
        issued: Sample.now),
      version: KeyVersion(
        number: 2, fingerprint: Sample.fingerprint(1), storedAt: Sample.now, issuedAt: Sample.now, origin: nil,
        missedFormat: "sk-[a-z]{20}"),
      history: [KeyVersion(number: 1, fingerprint: Sample.fingerprint(2), storedAt: Sample.now, origin: "env://A")],
      retiredAt: Sample.now, rejected: Sample.fingerprint(3))
    recorded.surface = Surface([ExternalAccess(.path, "/etc/x"): []])
    recorded.interrupted = [.target(Sample.target("app")): Sample.now]
    recorded.accounts = Sample.accounts
    try check(try #require(try Document.recorded(recorded)), "show")
    try check(try #require(try Document.recorded(recorded, only: .key(Sample.key("dated")))), "show")
    #expect(try Document.recorded(recorded, only: .key(Sample.key("nobody"))) == nil)
    try check(try #require(try Document.recorded(recorded, only: .calendar(Sample.account("home")))), "show")
    try check(try #require(try Document.recorded(Recorded())), "show")
  }

  @Test("who holds the lock, and who an identity is")
  func small() throws {
    let holder = LockHolder(process: 12, host: "runner", since: Sample.now, command: "keyplan apply")
    try check(try Document.text(LockDocument(LockReport(place: "a", store: holder))), "unlock")
    try check(try Document.text(LockDocument()), "unlock")
    let account = LockHolder(
      account: Sample.account("work"), process: 12, host: "runner", since: Sample.now,
      command: "keyplan calendar token", id: 3, job: "https://ci.example.com/7", silence: 1)
    let report = LockReport(place: "a", store: nil, accounts: [account, holder])
    try check(try Document.text(LockDocument(report)), "unlock")
    try check(try Document.text(IdentityDocument(origin: "identity.txt", recipients: ["age1qqq"])), "identity")
  }

  @Test("what became of a move")
  func moved() throws {
    let (store, rows) = (StoreState(id: "ab", serial: 7, epoch: 1), StoreRows(records: 2, values: 1))
    let (file, server) = (StorePlaceName(shown: "a.db", lasting: "/a.db"), StorePlaceName(shown: "h", lasting: "h/d"))
    let setting = StoreSetting(
      line: "postgres://u@h/d", file: "keyplan.yaml", isSet: false, replacesLine: false, isVariableOld: false)
    let report = MoveReport(
      environment: "staging", store: store, from: file, to: server, rows: rows, destination: .begun,
      makesTablesIn: nil, setting: setting)
    let endings: [MoveReport.Ending] = [
      .moved(store, digest: String(repeating: "0f", count: 32), marked: 4), .there(store), .notMoved,
    ]
    for ending in endings { try check(try Document.text(MoveDocument(report, ending)), "storeMove") }
    let undo = MoveUndoReport(
      environment: nil, store: store, place: file, rows: rows, movedAt: Sample.now, lostPlace: "h/d",
      loss: .unreachable("It does not answer."), accounts: [], isPinned: true, setting: setting)
    for now in [nil, store] { try check(try Document.text(MoveDocument(undoing: undo, now)), "storeMove") }
  }

  @Test("a backup, and what a restore changes")
  func restored() throws {
    let (store, rows) = (StoreState(id: "ab", serial: 7, epoch: 1), StoreRows(records: 2, values: 1))
    try check(try Document.text(BackupDocument(file: "b.age", store: store, rows: rows)), "backup")
    for present in [nil, store] {
      let some = present.map { _ in [Address.key(Sample.key("a"))] } ?? []
      let names = present.map { _ in ["carol"] } ?? []
      let text = RestoreText(
        file: "b.age", backup: store, createdAt: Sample.now, place: "a.db", present: present, added: some,
        changed: some, removed: some, revoked: some, recipients: ["ada"], exposed: names)
      for now in [nil, store] {
        try check(try Document.text(RestoreDocument(text, rows: rows, restored: now)), "restore")
      }
    }
  }

  @Test("the history of records")
  func history() throws {
    let history = RecordHistory(Sample.past)
    try check(try Document.text(HistoryDocument(history, store: Sample.store)), "history")
    try check(try Document.text(HistoryDocument(RecordHistory(Recorded()), store: nil)), "history")
  }

  @Test("events of every type")
  func events() throws {
    let (step, finding) = (Sample.steps[0], Sample.findings[0])
    let results: [StepResult] = [
      .done, .failed(.reported(reason: "Words.", isUnreachable: false)), .stale(.notAsked), .notTried(.interrupted),
      .needsPerson(AccountNeed(facts: Sample.google, reason: .never)),
    ]
    let events: [Event] =
      [
        .version("0.1.0"), .plannedChange(step), .resourceDrift(finding), .applyStart(step),
        .changeSummary(.plan, Tally(Self.everyStep).byAction), .changeSummary(.apply, [:]),
        .driftSummary(["broken": 1, "soon": 2]), .diagnostic(Sample.error), .diagnostic(Sample.warning),
        .failure(summary: "Store is locked", detail: "Words.", hint: nil),
      ] + results.map { .applyEnd(StepReport(step, $0)) }
    for event in events { try check(try event.line(at: Sample.now), "events") }
  }

  @Test("what became of refreshing")
  func refreshed() throws {
    let away = Failure(.unreachable, "Away", "Words.", hint: "More.")
    var rows = [
      RefreshRow(Sample.account("a"), isRefreshed: false, away),
      RefreshRow(Sample.account("b"), isRefreshed: false, away),
      RefreshRow(Sample.account("c"), isRefreshed: false, Failure(.personNeeded, "Sign-in required", "Words.")),
      RefreshRow(Sample.account("d"), isRefreshed: false, Failure(.failed, "No token", "Words.")),
      RefreshRow(Sample.account("e"), isRefreshed: true, nil),
    ]
    rows[1].outage = (Sample.now, Sample.now + .days(1))
    try check(try Document.text(RefreshDocument(rows)), "calendarRefresh")
    let text = RefreshText.render(Array(rows[..<2]), style: Style(), isQuiet: false)
    #expect(
      text == """
        error: Away
          Words.
          hint: More.
        calendar.b   unreachable since 2026-11-21 08:00Z; counts from 2026-11-22 08:00Z

        """)
  }

  @Test("the providers that are known, and what is known of their checks")
  func providers() throws {
    let providers = [
      KnownProvider(name: "a", variable: "A", format: "a-.*", check: .preview, keys: .made("a-keys")),
      KnownProvider(name: "b", variable: nil, check: .judged, keys: .manual("b-keys", page: "https://b.example")),
      KnownProvider(name: "c", variable: nil, check: .none, keys: .elsewhere),
    ]
    let text = try Document.text(ProvidersDocument(providers))
    try check(text, "providers")
    let flags = text.matches(of: /"isCheckPreview":(\w+),"isChecked":(\w+)/).map { "\($0.1) \($0.2)" }
    #expect(flags == ["true true", "false true", "false false"])
  }

  @Test("what providers said, and why others were not asked")
  func verified() throws {
    var facts = CheckFacts()
    (facts.account, facts.scopes, facts.remaining) = ("ada", ["read", "write"], "74.5")
    facts.expires = Sample.now + .days(30)
    let item = ExternalAccess(.host, "gate.example")
    let obstacles: [VerifyReport.Obstacle] = [
      .noCheck, .noAddress("Words."), .closed, .notPermitted(.undeclared), .notPermitted(.pending(item)),
      .notPermitted(.otherProvider(declared: "a", recorded: "b")),
    ]
    var rows = CheckOutcome.allCases.map { outcome in
      VerifyReport.Row(
        Sample.key("a"), "openai", .asked(.init(outcome, facts, reason: "Words.", at: Sample.now)))
    }
    rows[0].isRecorded = true
    rows += obstacles.map { VerifyReport.Row(Sample.key("b"), "acme", .notAsked($0)) }
    let report = VerifyReport(environment: "staging", store: Sample.store, rows: rows)
    try check(try Document.verified(report), "verify")
    let one = VerifyReport(environment: nil, store: nil, rows: [rows[0]], previews: ["openai"])
    try check(try Document.verified(one), "verify")
    #expect(try Document.verified(one).contains(#""previews":["openai"]"#))
    #expect(
      VerifyText.render(one, style: Style(), isQuiet: false).hasSuffix(
        "1 valid.\nThe check of openai is a preview: judged in full by neither the service nor its\nown client.\n"))
    let two = VerifyReport(environment: nil, store: nil, rows: [rows[0]], previews: ["acme", "openai"])
    #expect(
      VerifyText.render(two, style: Style(), isQuiet: false).contains("The checks of acme, openai are previews: "))
    try check(try Document.verified(VerifyReport(environment: nil, store: nil, rows: [])), "verify")
    let text = VerifyText.render(report, style: Style(), isQuiet: false)
    #expect(text.contains("valid            a   openai   account ada, expires on "), "\(text)")
    #expect(text.contains("74.5 left,") && text.contains("scopes read write"))
    #expect(VerifyText.render(report, style: Style(), isQuiet: true).split(separator: "\n").count > 10)
    let codes = report.statuses(naming: [])
    #expect(codes.contains(.changes) && codes.contains(.unreachable) && codes.contains(.refused))
    #expect(!codes.contains(.failed) && report.statuses(naming: [Sample.key("b")]).contains(.failed))
  }

  @Test("the same report gives the same bytes, keys sorted, on one line")
  func stable() throws {
    let text = try Document.diagnostics([Sample.warning, Sample.error])
    #expect(text == (try Document.diagnostics([Sample.error, Sample.warning])))
    #expect(
      text == #"""
        {"diagnostics":[{"address":"key.claude","blocks":"everything","code":"unknownField","detail":"\"provder\" is not a field of a key.","hint":"Did you mean `provider`?","place":{"column":5,"file":"keyplan.yaml","line":8,"width":7},"severity":"error","summary":"Unknown field"},{"address":"key.weather","code":"expiresSoon","detail":"\"weather\" expires on 2026-12-01, 90 days after it was issued.","hint":"Issue a new key at the provider, put it where the source points, and run keyplan apply.","place":{"column":2,"file":"keyplan.yaml","line":21,"width":7},"severity":"warning","summary":"Key expires soon"}],"formatVersion":1,"summary":{"errors":1,"warnings":1}}

        """#)
  }

  /// Validates a document, and that a field more in any of its objects is refused wherever the schema names the fields.
  private func check(_ document: String, _ schema: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let schemas = folder.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("schemas")
    let path = try #require(Python.path, "KEYPLAN_TEST_PYTHON is not set")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-c", Self.script, schemas.appendingPathComponent("\(schema).schema.json").path]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    input.fileHandleForWriting.write(Data(document.utf8))
    try input.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(schema): \(said)")
  }

  private static let script = """
    import sys, json, jsonschema
    schema = json.load(open(sys.argv[1]))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    document = json.load(sys.stdin)
    validator.validate(document)
    free = {"labels", "target"}
    def objects(value, name):
        if isinstance(value, dict):
            # Labels and a ground's names are free words; a step's target is not.
            if name not in free or "destination" in value: yield value
            for key, inner in value.items(): yield from objects(inner, key)
        elif isinstance(value, list):
            for inner in value: yield from objects(inner, name)
    for item in list(objects(document, "")):
        item["surplus"] = 1
        if validator.is_valid(document): sys.exit("a surplus field passes in " + json.dumps(item))
        del item["surplus"]
    """

  private static let issuer = Destination(
    type: "openai-admin", location: "proj_1", surface: ExternalAccess(.host, "api.openai.com"))

  private static let everyStep: [Step] =
    Sample.steps + Sample.leaking + Sample.widening + Sample.removing + Sample.amending + Sample.adopting
    + Sample.calendars + [
      Sample.tokenRemoval,
      Step(
        .store(
          .guards(
            GuardsChange(
              from: Guards(demands: [.init(rule: "r", keys: nil, words: "younger than 90 days")]),
              to: Guards(demands: [.init(rule: "r", keys: [Sample.key("a")], words: "not from env")], waivers: ["w"])))),
        because: .manifest),
      Step(
        .store(
          .key(
            Sample.key("b"),
            .store(
              KeyWrite(
                facts: KeyFacts(provider: "generic", issued: Sample.now, labels: ["a": "b"]), source: nil)))),
        because: .byHand),
      Step(
        .outside(.mint(Sample.key("b"), KeyMint(place: issuer, parts: [.init("key", Sample.key("b"), revision: 3)]))),
        because: .expiry),
      Step(
        .store(.key(Sample.key("b"), .replace(KeyWrite(KeyFacts(provider: "openai"), .minted(isChecked: true))))),
        because: .expiry),
      Step(
        .outside(.disable(Sample.key("b"), IssuedKeys(keys: [.init(place: issuer, id: "id-1")]))), because: .follows),
      Step(.outside(.renew(Sample.key("b"), IssuedKeys(keys: [.init(place: issuer, id: "id-1")]))), because: .expiry),
      Step(.outside(.end(Sample.key("b"), IssuedKeys(keys: [.init(place: issuer, id: "id-1")]))), because: .follows),
      Step(.person(.issue(Sample.key("b"), ManualMint(page: "https://a.example", steps: "Words."))), because: .expiry),
      Step(.store(.key(Sample.key("b"), .move(from: Sample.key("a")))), because: .migration),
      Step(.store(.activate(Sample.slot("c"), Sample.key("b"), was: nil)), because: .follows),
      Step(
        .outside(
          .sync(
            Sample.target("x"),
            TargetWrite(
              destination: Destination(type: "dotenv", location: "/etc/x", surface: ExternalAccess(.path, "/etc/x")),
              entries: TargetWrite.Reason.allCases.map {
                TargetWrite.Entry(name: $0.rawValue, key: Sample.key("b"), reason: $0)
              },
              total: 7))), because: .follows),
    ]
}
