import Foundation

/// What the commands say about one project at one moment, held against each other and against the files.
struct ProgramStatements {
  struct Finding: Decodable, Hashable {
    let level: String
    let kind: String
    let address: String
  }

  private struct Diagnostic: Decodable {
    let code: String?
    let severity: String
    let address: String?
  }

  private struct Plan: Decodable {
    struct Step: Decodable {
      struct Effect: Decodable {
        struct Target: Decodable {
          struct Entry: Decodable { let name: String }
          let entries: [Entry]
        }
        struct Removal: Decodable { let names: [String] }
        let action: String
        let target: Target?
        let removal: Removal?

        /// The names that it sets or removes at a target.
        var names: [String] { (target?.entries.map(\.name) ?? []) + (removal?.names ?? []) }
      }
      let address: String
      let effect: Effect
    }
    let steps: [Step]?
    let diagnostics: [Diagnostic]

    var isError: Bool { steps == nil || diagnostics.contains { $0.severity == "error" } }
    func steps(at address: String) -> [Step] { steps?.filter { $0.address == address } ?? [] }
  }

  private struct Drift: Decodable {
    var findings: [Finding]?
    let diagnostics: [Diagnostic]

    var isError: Bool { findings == nil || diagnostics.contains { $0.severity == "error" } }
  }

  private struct Records: Decodable {
    struct Target: Decodable {
      struct Entry: Decodable { let key: String }
      struct Destination: Decodable { let location: String }
      let destination: Destination
      let entries: [String: Entry]

      /// What keyplan wrote under a name at the place that is declared now; a target that was moved has nothing there yet.
      func entry(_ name: String, at path: String) -> Entry? { destination.location == path ? entries[name] : nil }
    }
    struct Slot: Decodable { let key: String }
    let targets: [String: Target]?
    let slots: [String: Slot]?
  }

  private struct Keys: Decodable {
    struct Key: Decodable {
      let name: String
      let revokedAt: String?
    }
    let keys: [Key]?
  }

  private struct Log: Decodable {
    struct Run: Decodable {
      struct Result: Decodable {
        struct Location: Decodable {
          struct Name: Decodable { let fullyQualifiedName: String }
          let logicalLocations: [Name]?
        }
        let ruleId: String
        let locations: [Location]?
      }
      let results: [Result]
    }
    let runs: [Run]
  }

  private struct Doctor: Decodable {
    struct Check: Decodable {
      let subject: String
      let level: String
    }
    let checks: [Check]
  }

  private let world: ProgramWorld
  private var drift: Drift
  private let codes: (plan: Int32, drift: Int32)
  private let texts: (plan: String, drift: String)
  private let plan: Plan
  private var report: Drift
  private var metrics: [String: Int]
  private let records: Records
  private let doctor: Doctor
  private let revoked: Set<String>
  /// The findings that drift writes as SARIF, and as JUnit: kind and address.
  private var formats: (sarif: Set<String>, junit: Set<String>)
  /// Whether `accept` would store the value at a name; nil where it refuses.
  private let accepted: [String: Bool]

  /// The keys whose source has another value than the store, or none.
  private let unequalSources: [String]

  /// Asks every command once.
  init(_ world: ProgramWorld) throws {
    self.world = world
    func answer<Document: Decodable>(_ words: String..., as type: Document.Type) throws -> (Document, Int32) {
      let answer = try world.sandbox.start([Shell.program] + words + ["--json"]).wait()
      return (try JSONDecoder().decode(type, from: Data(answer.out.utf8)), answer.code)
    }
    (plan, codes.plan) = try answer("plan", "--detailed-exitcode", "--allow-forget", as: Plan.self)
    (drift, codes.drift) = try answer("drift", as: Drift.self)
    report = try answer("report", as: Drift.self).0
    records = try answer("show", as: Records.self).0
    doctor = try answer("doctor", as: Doctor.self).0
    texts = (try world.sandbox.keyplan("plan", "--allow-forget").out, try world.sandbox.keyplan("drift").out)
    metrics = try Self.counts(in: try world.sandbox.keyplan("metrics").out)
    revoked = Set(try answer("keys", "list", as: Keys.self).0.keys?.filter { $0.revokedAt != nil }.map(\.name) ?? [])
    let log = try JSONDecoder().decode(
      Log.self, from: Data(try world.sandbox.keyplan("drift", "--format", "sarif").out.utf8))
    formats.sarif = Set(
      log.runs.flatMap(\.results).map { result in
        "\(result.ruleId.split(separator: "/").last ?? "") \(result.locations?.first?.logicalLocations?.first?.fullyQualifiedName ?? "")"
      })
    let junit = try world.sandbox.keyplan("drift", "--format", "junit").out
    formats.junit = Set(
      junit.matches(of: /name="([^"]+)"><failure type="([A-Za-z]+)"/).map { "\($0.output.2) \($0.output.1)" })
    var accepted: [String: Bool] = [:]
    if let (target, declared) = world.targets.min(by: { $0.key < $1.key }), let name = declared.names.keys.min() {
      let answer = try world.sandbox.keyplan("accept", "target.\(target).\(name)", "--no-input")
      if answer.code == 64 || answer.code == 0 { accepted["target.\(target).\(name)"] = answer.code == 64 }
    }
    self.accepted = accepted
    unequalSources = try world.unequalSources()
  }

  /// The counts of findings by level and kind that are not 0.
  private static func counts(in metrics: String) throws -> [String: Int] {
    let line = /keyplan_drift_findings\{level="([a-z]+)",kind="([A-Za-z]+)"\} ([0-9]+)/
    let rows = metrics.matches(of: line).map { ("\($0.output.1) \($0.output.2)", Int($0.output.3) ?? 0) }
    return Dictionary(rows) { first, _ in first }.filter { $0.value > 0 }
  }

  /// The same, with every command silent about findings of a kind: the contract must notice.
  func forgetting(_ kind: String) -> ProgramStatements {
    var copy = self
    copy.drift.findings?.removeAll { $0.kind == kind }
    copy.report.findings?.removeAll { $0.kind == kind }
    copy.metrics = metrics.filter { !$0.key.hasSuffix(" " + kind) }
    copy.formats.sarif = formats.sarif.filter { !$0.hasPrefix(kind + " ") }
    copy.formats.junit = formats.junit.filter { !$0.hasPrefix(kind + " ") }
    return copy
  }

  var kinds: Set<String> { Set((drift.findings ?? []).map(\.kind)) }
  var agrees: Bool { texts.drift.contains(" agree") }

  /// The statements that contradict each other, or what is there.
  func contradictions() throws -> [String] { codesAndWords() + sameFindings() + (try names()) + steps() + checks() }

  private func codesAndWords() -> [String] {
    var found: [String] = []
    let findings = drift.findings ?? []
    let counted = findings.filter { $0.level != "soon" }
    if codes.drift == 0, drift.isError || !counted.isEmpty { found.append("drift ends with 0 with \(findings)") }
    if codes.drift == 2, findings.isEmpty { found.append("drift ends with 2 without a finding") }
    if codes.plan == 0, plan.isError || plan.steps?.isEmpty == false {
      found.append("plan ends with 0 with steps or errors")
    }
    if codes.plan == 2, plan.steps?.isEmpty != false { found.append("plan ends with 2 without steps") }
    let isDue = plan.steps?.isEmpty == false || plan.isError
    if agrees, isDue || drift.isError || !findings.isEmpty {
      found.append("drift says that all agree, and plan or drift do not")
    }
    if agrees, !unequalSources.isEmpty {
      found.append("drift says that all agree, and the sources of \(unequalSources) have other values, or none")
    }
    let ofPlaces = findings.filter {
      $0.kind.hasPrefix("target") && $0.kind != "targetExposed" || $0.kind.hasPrefix("source")
    }
    if texts.plan.contains(" agree."), !ofPlaces.isEmpty || drift.isError {
      found.append("plan says that all agree, and drift has \(ofPlaces)")
    }
    return found
  }

  private func sameFindings() -> [String] {
    var found: [String] = []
    let findings = drift.findings ?? []
    if Set(report.findings ?? []) != Set(findings) {
      found.append("report has \(report.findings ?? []), drift \(findings)")
    }
    let counts = Dictionary(findings.map { ("\($0.level) \($0.kind)", 1) }, uniquingKeysWith: +)
    if drift.findings != nil, counts != metrics { found.append("metrics counts \(metrics), drift \(counts)") }
    let told = Set(findings.map { "\($0.kind) \($0.address)" })
    if !formats.sarif.isSuperset(of: told) { found.append("SARIF lacks \(told.subtracting(formats.sarif))") }
    // What will only be due later fails no test.
    let failing = Set(findings.filter { $0.level != "soon" }.map { "\($0.kind) \($0.address)" })
    // A test case is an address, and has the kind of one of its findings.
    func addresses(_ findings: Set<String>) -> Set<Substring> {
      Set(findings.compactMap { $0.split(separator: " ", maxSplits: 1).last })
    }
    if !formats.junit.isSubset(of: failing) || addresses(formats.junit) != addresses(failing) {
      found.append("JUnit fails \(formats.junit), drift has \(failing)")
    }
    for (address, isOffered) in accepted {
      let isChanged = told.contains("targetChanged " + address)
      if isChanged, !isOffered { found.append("drift calls \(address) changed, and accept finds nothing to accept") }
    }
    return found
  }

  /// Each name of a target has the value that `get` gives, or drift says that it has not.
  private func names() throws -> [String] {
    var found: [String] = []
    let told = Set((drift.findings ?? []).map(\.address) + drift.diagnostics.compactMap(\.address))
    var current: [String: ProgramWorld.Answer] = [:]
    for key in world.keys {
      current[key] = try world.value(of: key)
      if (current[key] == .revoked) != revoked.contains(key) { found.append("get and keys list differ about \(key)") }
    }
    for (target, declared) in world.targets {
      guard let held = world.values(in: declared) else { continue }
      for (name, feed) in declared.names {
        let key = feed.hasPrefix("active.") ? records.slots?[String(feed.dropFirst(7))]?.key : feed
        let address = "target.\(target).\(name)"
        let isTold = told.contains(address) || told.contains("target.\(target)")
        let written = records.targets?[target]?.entry(name, at: declared.path)
        if let written, current[written.key] == .revoked, held[name] != nil, !isTold {
          found.append("\(address) still has a value of a revoked key, and drift is silent")
        }
        if held[name] == nil,
          drift.findings?.contains(where: { $0.kind == "targetChanged" && $0.address == address }) == true
        {
          found.append("\(address) has no value, and drift says that somebody changed it")
        }
        guard let key, case .value(let value)? = current[key] else { continue }
        if held[name] == value {
          if told.contains(address), !isInterrupted(address) {
            found.append("\(address) has the value that get gives, and drift reports it")
          }
        } else if written != nil, !isTold {
          found.append("\(address) has not the value that get gives, and drift is silent")
        }
        if held[name] != value, plan.steps(at: "target.\(target)").isEmpty, !plan.isError {
          found.append("\(address) has not the value that get gives, and plan has no step")
        }
      }
    }
    return found
  }

  private func isInterrupted(_ address: String) -> Bool {
    drift.findings?.contains { $0.kind == "interrupted" && address.hasPrefix($0.address) } ?? false
  }

  /// A finding about a name that an apply would end is a step of the plan, unless an error says why not.
  private func steps() -> [String] {
    var found: [String] = []
    let writes = ["targetBehind", "targetMissing", "targetChanged", "targetUnwritten", "targetLeft"]
    for finding in drift.findings ?? [] where writes.contains(finding.kind) && !plan.isError {
      let parts = finding.address.split(separator: ".")
      let steps = plan.steps(at: parts.prefix(2).joined(separator: "."))
      // It can be right once another key of its slot is active.
      if parts.count > 2, let feed = world.targets[String(parts[1])]?.names[String(parts[2])],
        feed.hasPrefix("active."),
        !plan.steps(at: feed).isEmpty
      {
        continue
      }
      let names = steps.flatMap(\.effect.names)
      if steps.isEmpty || parts.count > 2 && !names.isEmpty && !names.contains(String(parts[2])) {
        found.append("drift has \(finding.kind) \(finding.address), and plan has no step for it: \(names)")
      }
    }
    return found
  }

  /// What plan says of a declared target that cannot be written, doctor says, too. It does not look at places that were left.
  private func checks() -> [String] {
    let blocked = plan.diagnostics.filter { diagnostic in
      let parts = diagnostic.address?.split(separator: ".") ?? []
      return ["targetUnreadable", "targetUnreachable"].contains(diagnostic.code)
        && parts.count > 1 && world.targets[String(parts[1])] != nil
    }
    let isFine = !doctor.checks.contains { $0.subject.hasPrefix("target") && $0.level != "ok" }
    guard isFine, !blocked.isEmpty else { return [] }
    return ["plan has \(blocked.map { $0.address ?? "" }), and doctor finds nothing wrong with targets"]
  }
}
