internal import KeyplanModel
package import KeyplanReporting
package import KeyplanStore

/// The newest commit of each store that this machine has seen, in the state directory. A store cannot prove that it is the newest copy of
/// itself; a machine that has seen a newer one can detect it.
///
/// One line for each store: `STORE EPOCH SERIAL DIGEST SECONDS`. If the file is lost, the next run starts it again.
package struct SeenCommits: Sendable {
  package struct Entry: Hashable, Sendable {
    package let epoch: Int64
    package let serial: Int64
    /// Of everything in the store at that serial.
    package let digest: String
    /// The time at which it was first seen, in Unix seconds.
    package let at: Int64

    /// Whether the store has later commits. Serials start again with a new root key, which is pinned elsewhere.
    fileprivate func isBefore(_ facts: StoreFacts) -> Bool {
      (epoch, serial) < (facts.epoch, facts.serial)
    }
  }

  private var entries: [String: Entry] = [:]

  /// Reads the file. It must be read before the store: a commit in between would look like a loss otherwise.
  package init(in world: World) throws(Failure) {
    let path = Self.path(in: world)
    try self.init(try StateFile.read(path, Self.what), at: path)
  }

  private init(_ bytes: [UInt8]?, at path: String) throws(Failure) {
    guard let bytes else { return }
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() where line.first != UInt8(ascii: "#") {
      let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 5, Pin.isHex(words[0]), Pin.isHex(words[3]), let epoch = Int64(words[1]),
        let serial = Int64(words[2]), let at = Int64(words[4])
      else {
        throw Failure(
          .storeRefused, "Seen commits are damaged",
          "\(path):\(index + 1): The line is not STORE EPOCH SERIAL DIGEST SECONDS.",
          hint: "Delete the line. The next run records the store as it finds it.")
      }
      entries[words[0]] = Entry(epoch: epoch, serial: serial, digest: words[3], at: at)
    }
  }

  package subscript(store: String) -> Entry? { entries[store] }

  /// The newest commit of a store that was seen.
  package func last(_ store: String) -> (epoch: Int64, serial: Int64)? { entries[store].map { ($0.epoch, $0.serial) } }

  /// Records a commit durably, unless a later one is recorded.
  /// - Parameter isAccepted: whether the user has accepted that the store is older than the recorded commit.
  package static func record(_ facts: StoreFacts, isAccepted: Bool = false, in world: World) throws(Failure) {
    let path = path(in: world)
    try StateFile.update(path, what) { old throws(Failure) in
      var seen = try SeenCommits(old, at: path)
      guard isAccepted ? !seen.is(at: facts) : seen.entries[facts.id]?.isBefore(facts) ?? true else { return nil }
      seen.entries[facts.id] = Entry(
        epoch: facts.epoch, serial: facts.serial, digest: facts.digest, at: world.now.seconds)
      return seen.encoded
    }
  }

  /// Whether a store has exactly the commit that was seen.
  func `is`(at facts: StoreFacts) -> Bool {
    guard let entry = entries[facts.id] else { return false }
    return entry.epoch == facts.epoch && entry.serial == facts.serial && entry.digest == facts.digest
  }

  /// The difference of a store from its last seen commit; nil if it is the same or has later commits.
  func lag(of facts: StoreFacts) -> Lag? {
    guard let entry = entries[facts.id], !entry.isBefore(facts), !self.is(at: facts) else { return nil }
    return (entry.epoch, entry.serial) == (facts.epoch, facts.serial) ? .forked(entry) : .behind(entry)
  }

  enum Lag {
    /// Commits are missing.
    case behind(Entry)
    /// As many commits, with another result.
    case forked(Entry)
  }

  private static let what = "Seen commits"
  private static func path(in world: World) -> String { world.state + "/seen_commits" }

  private var encoded: [UInt8] {
    let lines = entries.map { "\($0.key) \($0.value.epoch) \($0.value.serial) \($0.value.digest) \($0.value.at)\n" }
    return Array(
      ("# The newest commit of each store that this machine has seen. See: keyplan trust --help\n"
        + lines.sorted().joined()).utf8)
  }
}
