internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanSecrets

/// Checks with test names, which it removes afterwards, whether a target's service follows the rules that plans and applies rely on.
package struct ContractRun {
  private let target: any SecretTarget
  private let place: Destination
  private let address: String
  /// Two valid, unused names.
  private let names: [String]
  private var checks: [ContractCheck] = []

  /// - Throws: `Failure` if the target is unknown, its connection is not allowed, or its names cannot be chosen.
  package init(_ workspace: Workspace, target name: String) throws(Failure) {
    let name = name.hasPrefix("target.") ? String(name.dropFirst("target.".count)) : name
    guard let id = Identifier<Target>(name), let declared = workspace.manifest.targets[id] else {
      let near = Suggestion.nearest(to: name, among: workspace.manifest.targets.keys.map(\.name))
      throw Failure(
        .failed, "Unknown target", "The manifest declares no target \"\(name)\".",
        hint: near.map { "Did you mean \($0)?" })
    }
    guard let target = workspace.permittedTarget(at: declared.destination),
      let grammar = target.backend.target
    else {
      throw Failure(
        .refused, "Not allowed", "\(declared.destination.location) must not be contacted yet.",
        hint: "`keyplan plan` shows what it wants to contact; `keyplan apply` allows it.")
    }
    var random = SystemRandomNumberGenerator()
    let suffix = String(UInt32.random(in: 0x1000_0000...UInt32.max, using: &random), radix: 16, uppercase: true)
    let forms = ["KP_CHECK_\(suffix)_", "kp-check-\(suffix.lowercased())-", "kpCheck\(suffix)"]
    guard let form = forms.first(where: { grammar.names.fault(in: $0 + "A") == nil }) else {
      throw Failure(
        .failed, "Cannot be checked", "The target does not take names that can be chosen for a check.")
    }
    self.target = target
    place = declared.destination
    address = "target.\(id)"
    names = [form + "A", form + "B"]
  }

  /// The confirmation question, with the names to write.
  package var question: String {
    "Write \(names.joined(separator: " and ")) with random values at \(place.type) \(place.location), and remove them again?"
  }

  package mutating func run() async -> ContractReport {
    let (one, two) = (names[0], names[1])
    if place.isNeverRead {
      await rulesOfWriting(one, two)
      return await finished()
    }
    let before = await target.read(Set(names), at: place)
    guard case .failed(let failure) = before else {
      await keep("Names that were never written are not there.") { await $0.differs(from: [:]) }
      await rules(one, two)
      return await finished()
    }
    checks.append(ContractCheck("The place can be read.", .failed, failure.reason))
    return ContractReport(target: address, place: "\(place.type) \(place.location)", checks: checks, leftovers: [])
  }

  private mutating func keep(_ rule: String, _ found: (ContractRun) async -> String?) async {
    let detail = await found(self)
    checks.append(ContractCheck(rule, detail == nil ? .passed : .failed, detail))
  }

  private mutating func rules(_ one: String, _ two: String) async {
    let first = ["\(one)": "first", "\(two)": "second"]
    await keep("Two names are written, and are there afterwards.") { run in
      if let fault = await run.write(first) { return fault }
      return await run.differs(from: first)
    }
    await keep("The same can be written again.") { run in
      if let fault = await run.write(first) { return fault }
      return await run.differs(from: first)
    }
    await marks(one, two)
    var last: String? = "first"
    for (what, value) in Self.awkward { last = await awkward(what, value, one, after: last) }
    await keep("Names are removed, and removing them again is no error.") { run in
      if let fault = await run.write([:], removing: run.names) { return fault }
      if let fault = await run.differs(from: [:]) { return fault }
      return await run.write([:], removing: run.names)
    }
  }

  /// The rules that can be checked at a write-only target.
  private mutating func rulesOfWriting(_ one: String, _ two: String) async {
    let detail = "The target has no \"read\" command, so it does not show what is there."
    func skip(_ rule: String) { checks.append(ContractCheck(rule, .skipped, detail)) }
    skip("Names that were never written are not there.")
    await keep("Two names are written.") { await $0.write([one: "first", two: "second"]) }
    await keep("The same can be written again.") { await $0.write([one: "first", two: "second"]) }
    skip("Names that were written are there, and their values come back unchanged.")
    skip("A mark changes with each write, and a write that expects another mark is refused.")
    await keep("Names are removed, and removing them again is no error.") { run in
      if let fault = await run.write([:], removing: run.names) { return fault }
      return await run.write([:], removing: run.names)
    }
  }

  /// Values that a service may refuse, but must not change.
  private static let awkward: [(String, String)] = [
    ("quotes and backslashes", #"it's "both" \n \\ "#), ("dollar signs and braces", "$HOME ${HOME} {{x}} `id`"),
    ("several lines", "two\nlines\n"), ("letters beyond ASCII", "ünïcödé 🔑"), ("blanks at the ends", "  blanks  "),
    ("JSON", #"{"a": [1, null]}"#), ("5,000 characters", String(repeating: "x", count: 5000)),
  ]

  /// - Parameter last: the value that the name has; nil if that is unknown.
  /// - Returns: the value that it has then.
  private mutating func awkward(
    _ what: String, _ value: String, _ name: String, after last: String?
  ) async -> String? {
    let rule = "A value with \(what) comes back unchanged, or is refused."
    do throws(AccessFailure) {
      let results = try await target.write(Self.changes([name: value], []), at: place)
      guard case .done? = results[name] else {
        // A failed write may still have written another value.
        var fault: String?
        if case .unknown? = results[name], let last, await differs(from: [name: last], among: [name]) != nil {
          fault = await differs(from: [name: value], among: [name])
        }
        checks.append(ContractCheck(rule, fault == nil ? .passed : .failed, fault ?? "It is refused."))
        return fault == nil ? last : nil
      }
    } catch {
      checks.append(ContractCheck(rule, .passed, "It is refused."))
      return last
    }
    if let fault = await differs(from: [name: value], among: [name]) {
      checks.append(ContractCheck(rule, .failed, fault))
      return nil
    } else if case .values = await target.read([name], at: place) {
      checks.append(ContractCheck(rule, .passed))
    } else {
      checks.append(ContractCheck(rule, .skipped, "It is accepted. The place does not show values."))
    }
    return value
  }

  private mutating func marks(_ one: String, _ two: String) async {
    let rule = "A mark changes with each write, and a write that expects another mark is refused."
    guard case .marks(let before) = await target.read(Set(names), at: place) else {
      checks.append(ContractCheck(rule, .skipped, "The place shows values, so no marks are needed."))
      return
    }
    guard case .some(.some) = before[one] else {
      checks.append(ContractCheck(rule, .skipped, "The service has no marks: a changed value is not found."))
      return
    }
    await keep(rule) { run in
      if let fault = await run.write([one: "changed"]) { return fault }
      guard case .marks(let after) = await run.target.read(Set(run.names), at: run.place) else {
        return "It is not readable."
      }
      if before[one] == after[one] { return "The mark is the same after a write." }
      if before[two] != after[two] { return "The mark of another name changed, too." }
      let results = try? await run.target.write(
        TargetChanges(set: [(one, SecretBox(Array("stale".utf8)))], remove: [], expected: before), at: run.place)
      return results?[one] == .stale ? nil : "A write that expects an earlier mark is not refused."
    }
  }

  /// Removes the names, whatever the results of the checks.
  private func finished() async -> ContractReport {
    let fault = await write([:], removing: names)
    var leftovers: [String] = []
    if fault != nil {
      switch await target.read(Set(names), at: place) {
      case .values(let values): leftovers = names.filter { values[$0] != nil }
      case .marks(let marks): leftovers = names.filter { marks[$0] != nil }
      case .failed: leftovers = names
      }
    }
    return ContractReport(
      target: address, place: "\(place.type) \(place.location)", checks: checks, leftovers: leftovers)
  }

  private func write(_ values: [String: String], removing removed: [String] = []) async -> String? {
    do throws(AccessFailure) {
      let results = try await target.write(Self.changes(values, removed), at: place)
      for name in values.keys.sorted() + removed {
        switch results[name] {
        case .done: continue
        case .refused(let failure): return "\(name): \(failure.reason)"
        case .stale: return "\(name) was changed by someone else meanwhile."
        case .unknown(let reason): return "\(name): \(reason)"
        case nil: return "\(name): The service did not answer about it."
        }
      }
      return nil
    } catch {
      return error.reason
    }
  }

  private static func changes(_ values: [String: String], _ removed: [String]) -> TargetChanges {
    TargetChanges(
      set: values.sorted { $0.key < $1.key }.map { ($0.key, SecretBox(Array($0.value.utf8))) }, remove: removed)
  }

  /// The difference between the target and the values; nil if there is none, as far as the target shows it.
  private func differs(from values: [String: String], among asked: [String]? = nil) async -> String? {
    let asked = asked ?? names
    let there: Set<String>
    switch await target.read(Set(asked), at: place) {
    case .failed(let failure): return failure.reason
    case .marks(let marks): there = Set(marks.keys)
    case .values(let found):
      there = Set(found.keys)
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard case .text(let secret)? = found[name] else { continue }
        let isSame = secret.withBytes { $0.elementsEqual(value.utf8) }
        if !isSame { return "\(name) has another value than the one that was written." }
      }
    }
    let missing = Set(values.keys).subtracting(there).sorted()
    if let name = missing.first { return "\(name) is not there." }
    return there.subtracting(values.keys).min().map { "\($0) is there." }
  }
}
