public import KeyplanApply
public import KeyplanCore
import KeyplanSecrets

/// What every target keeps, checked at a place of its own.
public struct TargetContract: Sendable {
  private let target: any SecretTarget
  private let place: Destination
  private let unusable: Destination?

  /// - Parameters:
  ///   - place: where nothing is yet; afterwards a few names are left there.
  ///   - unusable: where something stands that is no place to write to.
  public init(_ target: any SecretTarget, at place: Destination, unusable: Destination? = nil) {
    self.target = target
    self.place = place
    self.unusable = unusable
  }

  private static let canary = "contract-canary-9f1c"
  /// What tends to be mangled on the way into a file and back.
  private static let awkward = [
    "plain", "", " spaces around ", "a=b#c", "hash # behind", "it's", "say \"hi\"", "both ' and \"", "back\\slash\\n",
    "$HOME ${HOME} `id`", "two\nlines", "ends in newline\n", "tab\there", "ünïcödé 🔑", "{\"a\": [1]}", "\\", "'", "\"",
    String(repeating: "x", count: 5000),
  ]

  /// What the target does not keep; empty for one that keeps it all. No value is in it.
  public func violations() async -> [String] {
    var found = Violations()
    found.check(!target.type.isEmpty, "the type has no name")
    await expect([:], asking: ["ONE", "TWO"], "nothing was written yet", &found)

    await write(["ONE": Self.canary, "TWO": "2"], "two names", &found)
    await expect(["ONE": Self.canary, "TWO": "2"], asking: ["ONE", "TWO", "THREE"], "after the first write", &found)
    await expect(["TWO": "2"], asking: ["TWO"], "only what was asked for is told", &found)
    await write(["ONE": Self.canary, "TWO": "2"], "the same again", &found)
    await expect(["ONE": Self.canary, "TWO": "2"], asking: ["ONE", "TWO"], "after writing the same again", &found)

    await write(["THREE": "3"], removing: ["TWO", "NEVER_WAS"], "set and remove at once", &found)
    await expect(
      ["ONE": Self.canary, "THREE": "3"], asking: ["ONE", "TWO", "THREE"], "other names are left alone", &found)
    await write([:], removing: ["TWO"], "removing what is gone", &found)

    await allOrNothing(&found)
    for (number, value) in Self.awkward.enumerated() {
      await write(["AWKWARD": value], "awkward value \(number)", &found)
      await expect(["AWKWARD": value], asking: ["AWKWARD"], "awkward value \(number) comes back", &found)
    }
    await many(&found)
    found.check(
      await target.obstacles(setting: ["ONE", "NEW"], removing: ["ONE", "NEVER_WAS"], at: place).isEmpty,
      "something is in the way at a place that takes values")
    await refusal(&found)
    return found.list
  }

  private func allOrNothing(_ found: inout Violations) async {
    let before = ["ONE": Self.canary, "THREE": "3"]
    do throws(TargetFailure) {
      try await target.write(changes(["ONE": "new", "ZERO": "nul\0\(Self.canary)"], removing: ["THREE"]), at: place)
      found.add("a NUL byte is written")
    } catch {
      found.checkReason(error.reason, hides: [Self.canary])
    }
    await expect(before, asking: ["ONE", "THREE", "ZERO"], "a write that failed changed nothing", &found)
  }

  private func many(_ found: inout Violations) async {
    let values = Dictionary(uniqueKeysWithValues: (0..<200).map { ("MANY_\($0)", "value \($0)") })
    await write(values, "200 names", &found)
    await expect(values, asking: Set(values.keys), "200 names come back", &found)
    await write([:], removing: values.keys.sorted(), "200 names removed", &found)
    await expect(["ONE": Self.canary], asking: Set(values.keys).union(["ONE"]), "200 names are gone", &found)
  }

  private func refusal(_ found: inout Violations) async {
    guard let unusable else { return }
    switch await target.read(["ONE"], at: unusable) {
    case .values, .writeOnly: found.add("an unusable place is read")
    case .unreachable(let reason), .unreadable(let reason): found.checkReason(reason, hides: [])
    }
    do throws(TargetFailure) {
      try await target.write(changes(["ONE": Self.canary], removing: []), at: unusable)
      found.add("an unusable place is written")
    } catch {
      found.checkReason(error.reason, hides: [Self.canary])
    }
  }

  private func write(
    _ values: [String: String], removing names: [String] = [], _ what: String, _ found: inout Violations
  ) async {
    do throws(TargetFailure) {
      try await target.write(changes(values, removing: names), at: place)
    } catch {
      found.add("\(what): not written")
    }
  }

  private func changes(_ values: [String: String], removing names: [String]) -> TargetChanges {
    TargetChanges(
      set: values.sorted { $0.key < $1.key }.map { ($0.key, SharedSecret(Array($0.value.utf8))) }, remove: names)
  }

  private func expect(
    _ values: [String: String], asking names: Set<String>, _ what: String, _ found: inout Violations
  ) async {
    switch await target.read(names, at: place) {
    case .writeOnly: return
    case .unreachable, .unreadable: found.add("\(what): not readable")
    case .values(let answer):
      let texts = answer.compactMapValues { value in
        if case .text(let secret) = value { secret.withBytes { String(decoding: $0, as: UTF8.self) } } else { nil }
      }
      found.check(answer.count == texts.count && texts == values, what)
    }
  }
}
