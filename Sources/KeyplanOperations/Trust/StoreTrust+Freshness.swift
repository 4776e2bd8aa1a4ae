internal import KeyplanModel
package import KeyplanReporting
package import KeyplanStore

extension StoreTrust {
  /// Refuses a copy of the store that lacks commits: an older one, a forked one, or a promoted standby that missed some. Then records its
  /// newest commit.
  /// - Parameter seen: must have been read before the store.
  package func requireFresh(
    _ facts: StoreFacts, seen: SeenCommits, for access: SealedStore.Access
  ) throws(Failure) {
    if let failure = try staleness(of: facts, seen) {
      guard access == .reading, isReplica, failure.isLag else { throw failure.failure }
      world.console.warn(
        Warning(
          "Replica is behind", failure.failure.detail, hint: "Wait until it has caught up, or use the primary.",
          isRoutine: true))
      return
    }
    guard !seen.is(at: facts) else { return }
    do throws(Failure) {
      try SeenCommits.record(facts, in: world)
    } catch {
      // A reader may have a read-only home directory. Writers get a warning (`noteCommit`).
      world.console.log("not recorded", "serial \(facts.serial): \(error.detail)")
    }
  }

  /// Records a commit of this process.
  package func noteCommit(_ facts: StoreFacts) {
    do throws(Failure) {
      try SeenCommits.record(facts, in: world)
    } catch {
      world.console.warn(
        Warning(
          "Serial not recorded",
          "\(error.detail) An older copy of the store would not be detected on this machine.", hint: error.hint,
          isRoutine: true))
    }
  }

  /// Records the current state of the store, even if it was seen at a higher serial.
  package func accept(_ facts: StoreFacts) throws(Failure) {
    try SeenCommits.record(facts, isAccepted: true, in: world)
  }

  /// The later commits that this machine, `KEYPLAN_PIN` or `keyplan.lock` knows, as lines to review; empty if there are none.
  package func losses(of facts: StoreFacts) throws(Failure) -> [String] {
    var lines: [String] = []
    switch try SeenCommits(in: world).lag(of: facts) {
    case nil: break
    case .behind(let entry):
      lines.append("seen        serial \(entry.serial) on \(Self.day(entry)): commits are missing")
    case .forked(let entry):
      lines.append("seen        serial \(entry.serial) on \(Self.day(entry)), with other content")
    }
    if let serial = locked?.serial, serial > facts.serial { lines.append("lock file   serial \(serial)") }
    return lines
  }

  private struct Staleness {
    let failure: Failure
    /// Whether a replica that follows the store can be in this state.
    let isLag: Bool
  }

  private func staleness(of facts: StoreFacts, _ seen: SeenCommits) throws(Failure) -> Staleness? {
    for (serial, name) in [(given?.serial, "KEYPLAN_PIN"), (locked?.serial, "keyplan.lock")] {
      guard let serial, serial > facts.serial else { continue }
      return Staleness(
        failure: Failure(
          .storeRefused, "Store is older than expected",
          "\(shown) is at serial \(facts.serial), but \(name) requires serial \(serial) or later: "
            + "\(Self.commits(serial - facts.serial)) missing.",
          hint: name == "KEYPLAN_PIN"
            ? Self.older + " If the newer copy is lost, lower the serial in KEYPLAN_PIN."
            : Self.older + " If the newer copy is lost: keyplan trust"),
        isLag: true)
    }
    switch seen.lag(of: facts) {
    case nil: return nil
    case .behind(let entry):
      let missing =
        entry.epoch == facts.epoch
        ? "\(Self.commits(entry.serial - facts.serial)) missing" : "it is a copy from before the root key was replaced"
      return Staleness(
        failure: Failure(
          .storeRefused, "Store is older than expected",
          "\(shown) is at serial \(facts.serial), but this machine saw serial \(entry.serial) of this store on "
            + "\(Self.day(entry)): \(missing).",
          hint: Self.older + " If the newer copy is lost: keyplan trust"),
        isLag: entry.epoch == facts.epoch)
    case .forked(let entry):
      return Staleness(
        failure: Failure(
          .storeRefused, "Two versions of the store",
          "\(shown) is at serial \(facts.serial) with other content than this machine saw at that serial on "
            + "\(Self.day(entry)). Two copies of the store were changed independently.",
          hint: "Find out which copy to keep, and use that one. To go on with this one: keyplan trust"),
        isLag: false)
    }
  }

  private static let older =
    "Use the newest copy. An older backup was restored, a standby was promoted that had missed commits, or someone "
    + "replaced the store."

  private static func commits(_ count: Int64) -> String { count == 1 ? "1 commit is" : "\(count) commits are" }
  private static func day(_ entry: SeenCommits.Entry) -> String { "\(Moment(seconds: entry.at))" }
}
