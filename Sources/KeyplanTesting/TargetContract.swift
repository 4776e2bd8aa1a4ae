package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// The contract of every target, checked at a destination of its own.
package struct TargetContract: Sendable {
  private let target: any SecretTarget
  private let place: Destination
  private let unusable: Destination?
  private let takesEmpty: Bool
  private let onlyName: String?

  /// - Parameters:
  ///   - place: an empty destination; afterwards it contains a few names.
  ///   - unusable: a destination that cannot be written because something else is there.
  ///   - takesEmpty: whether a value can be empty; otherwise it must be refused.
  ///   - onlyName: the one name that the target accepts; nil if it accepts any variable's name.
  package init(
    _ target: any SecretTarget, at place: Destination, unusable: Destination? = nil, takesEmpty: Bool = true,
    onlyName: String? = nil
  ) {
    self.target = target
    self.place = place
    self.unusable = unusable
    self.takesEmpty = takesEmpty
    self.onlyName = onlyName
  }

  private static let canary = "contract-canary-9f1c"
  /// Values that are easily damaged when they are written to a file and read back.
  private static let awkward = [
    "plain", "", " spaces around ", "a=b#c", "hash # behind", "it's", "say \"hi\"", "both ' and \"", "back\\slash\\n",
    "$HOME ${HOME} `id`", "two\nlines", "ends in newline\n", "tab\there", "ünïcödé 🔑", "{\"a\": [1]}", "\\", "'", "\"",
    String(repeating: "x", count: 5000),
  ]

  /// The violations, without any value; empty if there are none.
  package func violations() async -> [String] {
    var found = Violations()
    found.check(target.backend.target != nil, "the backend does not describe its targets")
    if let onlyName {
      await one(onlyName, &found)
      return found.list
    }
    await expect([:], asking: ["ONE", "TWO"], "nothing was written yet", &found)

    await write(["ONE": Self.canary, "TWO": "2"], "two names", &found)
    await expect(["ONE": Self.canary, "TWO": "2"], asking: ["ONE", "TWO", "THREE"], "after the first write", &found)
    await expect(["TWO": "2"], asking: ["TWO"], "only requested names are returned", &found)
    await write(["ONE": Self.canary, "TWO": "2"], "the same again", &found)
    await expect(["ONE": Self.canary, "TWO": "2"], asking: ["ONE", "TWO"], "after writing the same again", &found)

    await write(["THREE": "3"], removing: ["TWO", "NEVER_WAS"], "set and remove at once", &found)
    await expect(
      ["ONE": Self.canary, "THREE": "3"], asking: ["ONE", "TWO", "THREE"], "other names are left alone", &found)
    await write([:], removing: ["TWO"], "removing what is gone", &found)

    await oneOfTwo(&found)
    await marks(&found)
    if !takesEmpty { await empty(&found) }
    for (number, value) in Self.awkward.enumerated() where takesEmpty || !value.isEmpty {
      await write(["AWKWARD": value], "awkward value \(number)", &found)
      await expect(["AWKWARD": value], asking: ["AWKWARD"], "awkward value \(number) comes back", &found)
    }
    await many(&found)
    found.check(
      await target.writeBlockers(setting: ["ONE", "NEW"], removing: ["ONE", "NEVER_WAS"], at: place).isEmpty,
      "a usable destination reports write blockers")
    await refusal("ONE", &found)
    return found.list
  }

  /// Checks a target with a single name; afterwards it is empty.
  private func one(_ name: String, _ found: inout Violations) async {
    await expect([:], asking: [name], "nothing was written yet", &found)
    await write([:], removing: [name], "removing what never was", &found)
    for (number, value) in ([Self.canary] + Self.awkward).enumerated() where !value.isEmpty {
      await write([name: value], "value \(number)", &found)
      await expect([name: value], asking: [name], "value \(number) comes back", &found)
      await write([name: value], "value \(number) again", &found)
    }
    await write([name: Self.canary], "a value", &found)
    do throws(AccessFailure) {
      let results = try await target.write(changes([name: "nul\0\(Self.canary)"], removing: []), at: place)
      if results[name]?.isDone != false { found.add("a NUL byte is written") }
    } catch {
      found.checkReason(error.reason, hides: [Self.canary])
    }
    await expect([name: Self.canary], asking: [name], "a refused value changes nothing", &found)
    found.check(
      await target.writeBlockers(setting: [name], removing: [], at: place).isEmpty,
      "a usable destination reports write blockers")
    await refusal(name, &found)
    await write([:], removing: [name], "removing", &found)
    await expect([:], asking: [name], "after removing", &found)
  }

  /// Checks a value that cannot be written: it is refused, and the other names are written and removed all the same.
  private func oneOfTwo(_ found: inout Violations) async {
    var after = ["ONE": Self.canary, "THREE": "3"]
    let held = "a name that cannot be written holds back its neighbours"
    do throws(AccessFailure) {
      let results = try await target.write(
        changes(["ONE": "new", "ZERO": "nul\0\(Self.canary)"], removing: ["THREE"]), at: place)
      if results["ZERO"]?.isDone != false { found.add("a NUL byte is written") }
      if results["ONE"]?.isDone == true { after["ONE"] = "new" }
      if results["THREE"]?.isDone == true { after["THREE"] = nil }
      found.check(after == ["ONE": "new"], held)
    } catch {
      found.add(held)
      found.checkReason(error.reason, hides: [Self.canary])
    }
    await expect(
      after, asking: ["ONE", "THREE", "ZERO"], "a partially failed write changed only what it reports", &found)
    await write(["ONE": Self.canary], removing: ["THREE"], "putting it right", &found)
  }

  /// Checks that a mark stays while nothing is written, changes with a write, and protects one if the target can
  /// compare.
  private func marks(_ found: inout Violations) async {
    guard target.backend.target?.readsBack == .marks else { return }
    await write(["ONE": "1", "TWO": "2"], "two names with marks", &found)
    guard case .marks(let before) = await target.read(["ONE", "TWO"], at: place),
      case .marks(let again) = await target.read(["ONE", "TWO"], at: place)
    else { return found.add("a target with marks does not return them") }
    found.check(before == again, "a mark changes while nothing is written")
    found.check(before["ONE"] != .some(nil), "a name has no mark")
    await write(["ONE": "other"], "a name with a mark", &found)
    guard case .marks(let after) = await target.read(["ONE", "TWO"], at: place) else { return }
    found.check(before["ONE"] != after["ONE"], "a write does not change the mark")
    found.check(before["TWO"] == after["TWO"], "a write changes another name's mark")
    let expecting = TargetChanges(
      set: [("ONE", SecretBox([0x33])), ("TWO", SecretBox([0x34]))], remove: [], expected: before)
    let results = try? await target.write(expecting, at: place)
    found.check(results?["ONE"] == .stale, "a name that was changed meanwhile is written")
    found.check(results?["TWO"]?.isDone == true, "a name that was not changed is not written")
    await write(["ONE": Self.canary], removing: ["TWO"], "putting it right", &found)
  }

  private func empty(_ found: inout Violations) async {
    await write(["AWKWARD": "before"], "a value before an empty one", &found)
    let results = try? await target.write(changes(["AWKWARD": ""], removing: []), at: place)
    if results?["AWKWARD"]?.isDone == true { found.add("an empty value is written") }
    await expect(["AWKWARD": "before"], asking: ["AWKWARD"], "an empty value is refused", &found)
  }

  private func many(_ found: inout Violations) async {
    let values = Dictionary(uniqueKeysWithValues: (0..<200).map { ("MANY_\($0)", "value \($0)") })
    await write(values, "200 names", &found)
    await expect(values, asking: Set(values.keys), "200 names come back", &found)
    await write([:], removing: values.keys.sorted(), "200 names removed", &found)
    await expect(["ONE": Self.canary], asking: Set(values.keys).union(["ONE"]), "200 names are gone", &found)
  }

  private func refusal(_ name: String, _ found: inout Violations) async {
    guard let unusable else { return }
    switch await target.read([name], at: unusable) {
    case .values, .marks: found.add("an unusable place is read")
    case .failed(let failure): found.checkReason(failure.reason, hides: [])
    }
    do throws(AccessFailure) {
      let results = try await target.write(changes([name: Self.canary], removing: []), at: unusable)
      if results[name]?.isDone != false { found.add("an unusable place is written") }
    } catch {
      found.checkReason(error.reason, hides: [Self.canary])
    }
  }

  private func write(
    _ values: [String: String], removing names: [String] = [], _ what: String, _ found: inout Violations
  ) async {
    do throws(AccessFailure) {
      var results = try await target.write(changes(values, removing: names), at: place)
      // A busy service may lose a response. The next apply writes such names again.
      let lost = Set(results.filter(\.value.isUnknown).keys)
      if !lost.isEmpty {
        let again = changes(values.filter { lost.contains($0.key) }, removing: names.filter(lost.contains))
        results.merge(try await target.write(again, at: place)) { $1 }
      }
      let left = Set(values.keys).union(names).sorted().first { results[$0]?.isDone != true }
      if let left { found.add("\(what): \(left) is not done: \(results[left].map { "\($0)" } ?? "no result")") }
    } catch {
      found.add("\(what): not written: \(error.reason)")
    }
  }

  private func changes(_ values: [String: String], removing names: [String]) -> TargetChanges {
    TargetChanges(
      set: values.sorted { $0.key < $1.key }.map { ($0.key, SecretBox(Array($0.value.utf8))) }, remove: names)
  }

  private func expect(
    _ values: [String: String], asking names: Set<String>, _ what: String, _ found: inout Violations
  ) async {
    switch await target.read(names, at: place) {
    case .failed: found.add("\(what): not readable")
    case .marks(let marks): found.check(Set(marks.keys) == Set(values.keys), what)
    case .values(let answer):
      let isSame = values.allSatisfy { name, value in
        if case .text(let secret) = answer[name] { secret.isSameValue(as: SecretBox(Array(value.utf8))) } else { false }
      }
      found.check(answer.count == values.count && isSame, what)
    }
  }
}

extension WriteResult {
  fileprivate var isDone: Bool { if case .done = self { true } else { false } }
  fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

// Single queries, which the program combines.
extension SecretTarget {
  /// The reasons why names cannot be set and removed at a destination.
  package func writeBlockers(setting: Set<String>, removing: Set<String>, at destination: Destination) async
    -> WriteBlockers
  {
    await look(TargetQuestion(intent: .init(setting: setting, removing: removing)), at: destination).writeBlockers
  }

  /// The mode of the target's file.
  package func mode(at destination: Destination) async -> FileMode? {
    await look(TargetQuestion(), at: destination).mode
  }
}
