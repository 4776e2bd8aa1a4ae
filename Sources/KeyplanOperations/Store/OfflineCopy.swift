internal import KeyplanClocks
internal import KeyplanFiles
internal import KeyplanModel
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanStore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// This machine's copy of a store on a server, which readers use while the server is unreachable. It is encrypted like the store, so that it
/// can be opened only with an identity.
///
/// In `offline/STORE` in the state directory are the copy and a file with its name, its serial, and the last time that it was known to be
/// current. That time is kept in both clocks of the machine, so that setting one back does not make the copy younger.
struct OfflineCopy {
  /// The time for which it may be read.
  let limit: Interval
  private let place: ResolvedStore
  private let folder: String
  private let world: World

  /// Nil if the manifest declares none, the store is a file, or nothing outside the checkout names the store. In an untrusted checkout the
  /// manifest is ignored here.
  init?(of place: ResolvedStore, in world: World) throws(Failure) {
    guard case .shared = place.location, let limit = place.offline, try world.checkout() == .trusted else { return nil }
    let known = try KnownStores(in: world)[place.trust.project]
    guard let id = (place.trust.given ?? known?.pin ?? place.pin)?.store else { return nil }
    (self.limit, self.place, self.world) = (limit, place, world)
    folder = "\(world.state)/offline/\(id)"
  }

  // MARK: Keeping

  /// Copies the store if it changed since the last copy, and notes that the copy is current. Call it before a command answers from the
  /// store: the copy is then never older than an answer. A failure is a warning and removes the copy.
  /// - Parameter onlyIfMade: whether to update only an existing copy.
  func keep(_ store: SealedStore, ifMade onlyIfMade: Bool = false) {
    // From before anything is read that the copy has.
    let now = TimeStamp.system()
    guard !onlyIfMade || isMade, let facts = try? store.facts() else { return }
    do {
      try keep(store, facts, at: now)
    } catch {
      remove()
      let reason = (error as? Failure)?.detail ?? "\(error)."
      world.console.warn(
        Warning(
          "No local copy", "The copy of \(place.shown) for outages was not written: \(reason)", isRoutine: true))
    }
  }

  private func keep(_ store: SealedStore, _ facts: StoreFacts, at now: TimeStamp) throws {
    try PrivateDirectory.ensure(folder)
    let lock = try LockFile("\(folder)/lock")
    // Another process may be copying an earlier state of the store.
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    while try !lock.tryLock(details: "") {
      guard ContinuousClock.now < deadline else { throw FileError(.busy, "\(folder)/lock") }
      usleep(20_000)
    }
    defer { lock.unlock() }
    let old = try Note.read(at: notePath)
    if let old, old.isCopy(of: facts), world.fileExists("\(folder)/\(old.name)") {
      return try old.confirmed(at: now).write(to: notePath)
    }
    let name = "\(facts.serial)-\(facts.digest.prefix(16)).db"
    // Left by a process that was killed while it wrote it.
    try AtomicFile.remove("\(folder)/\(name)")
    try AtomicFile.remove("\(folder)/\(name)-journal")
    let copied: StoreFacts
    do throws(StoreError) { copied = try store.copy(to: "\(folder)/\(name)") } catch { throw Failure(error) }
    try Note(name: name, facts: copied, seen: now).write(to: notePath)
    if let old, old.name != name { try AtomicFile.remove("\(folder)/\(old.name)") }
  }

  /// Removes the copy: the server was reached and refuses this identity, or is another store.
  func remove() {
    guard let old = try? Note.read(at: notePath) else { return }
    try? AtomicFile.remove("\(folder)/\(old.name)")
    try? AtomicFile.remove(notePath)
  }

  // MARK: Serving

  /// Opens the copy, with its age.
  /// - Throws: `outage` if there is no copy, or it is too old.
  func open(_ identities: Identities, during outage: Failure) throws(Failure) -> (store: SealedStore, age: Interval) {
    let note: Note?
    do throws(FileError) { note = try Note.read(at: notePath) } catch { throw outage }
    guard let note else { throw outage }
    let now = TimeStamp.system()
    guard let age = note.age(at: now) else { throw outage }
    guard age < limit else {
      throw outage.adding("The local copy is from \(age.spoken) ago, and may be read for \(limit.spoken).")
    }
    // A calendar that is set back from here on counts as such.
    if now.wall - note.latest > 60_000 { try? note.noticing(now).write(to: notePath) }
    let store: SealedStore
    do throws(StoreError) {
      store = try SealedStore.open(
        at: .file("\(folder)/\(note.name)"), identities: identities.all, access: .reading, patience: place.patience)
    } catch {
      throw outage.adding("The local copy cannot be opened: \(error.detail)")
    }
    let facts = try Failure.from { () throws(StoreError) in try store.facts() }
    try place.trust.require(facts) { () throws(Failure) in try place.description(of: store) }
    let seen = try SeenCommits(in: world)
    // The copy lacks later changes that this machine knows, for example a revocation.
    if !place.trust.isReplica, let last = seen.last(facts.id), last > (facts.epoch, facts.serial) {
      throw outage.adding(
        "The local copy is from serial \(facts.serial), and this machine has seen serial \(last.serial) of the store since."
      )
    }
    try place.trust.requireFresh(facts, seen: seen, for: .reading)
    return (store, age)
  }

  /// Whether there is a copy.
  var isMade: Bool { world.fileExists(notePath) }

  private var notePath: String { "\(folder)/current" }
}

/// The note about a copy: `NAME SERIAL DIGEST START SINCE-START WALL LATEST`, in nanoseconds and milliseconds.
private struct Note {
  let name: String
  let serial: Int64
  let digest: String
  /// The last time that the copy was known to match the server.
  let seen: TimeStamp
  /// The latest time of the calendar that was seen, in milliseconds since 1970.
  let latest: Int64

  init(name: String, facts: StoreFacts, seen: TimeStamp) {
    self.init(name: name, serial: facts.serial, digest: facts.digest, seen: seen, latest: seen.wall)
  }

  private init(name: String, serial: Int64, digest: String, seen: TimeStamp, latest: Int64) {
    (self.name, self.serial, self.digest, self.seen, self.latest) = (name, serial, digest, seen, latest)
  }

  /// Nil if there is none, or it is not in this form.
  static func read(at path: String) throws(FileError) -> Note? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.readPrivate(path, limit: 4096)
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else { throw error }
      return nil
    }
    let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.map(String.init)
    guard words.count == 7, !words[0].contains("/"), let serial = Int64(words[1]), let sinceStart = Int64(words[4]),
      let wall = Int64(words[5]), let latest = Int64(words[6])
    else { return nil }
    return Note(
      name: words[0], serial: serial, digest: words[2],
      seen: TimeStamp(start: words[3] == "-" ? nil : words[3], sinceStart: sinceStart, wall: wall), latest: latest)
  }

  func isCopy(of facts: StoreFacts) -> Bool { serial == facts.serial && digest == facts.digest }

  func confirmed(at now: TimeStamp) -> Note {
    Note(name: name, serial: serial, digest: digest, seen: now, latest: max(latest, now.wall))
  }

  func noticing(_ now: TimeStamp) -> Note {
    Note(name: name, serial: serial, digest: digest, seen: seen, latest: max(latest, now.wall))
  }

  func write(to path: String) throws(FileError) {
    let times = "\(seen.start ?? "-") \(seen.sinceStart) \(seen.wall) \(latest)"
    try AtomicFile.replace(path, with: Array("\(name) \(serial) \(digest) \(times)\n".utf8))
  }

  /// Nil if it cannot be known, because the machine was restarted and its calendar is earlier than it was.
  func age(at now: TimeStamp) -> Interval? {
    let isOfThisStart = now.start != nil && now.start == seen.start
    guard isOfThisStart || now.wall >= latest, let age = now.age(of: seen) else { return nil }
    return Interval(seconds: age.components.seconds + 1)
  }
}
