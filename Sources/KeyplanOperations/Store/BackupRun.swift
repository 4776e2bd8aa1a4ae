internal import KeyplanAge
internal import KeyplanApply
internal import KeyplanFiles
internal import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanStore

/// `keyplan backup`: everything in the store, with all values, in one age file.
package enum BackupRun {
  package struct Outcome: Sendable {
    package let store: StoreFacts
    package let records: Int
    package let values: Int
  }

  private static let moved = StoreError(
    .stale, "Another process changed the store's root key meanwhile.", hint: "Run it again.")

  /// - Parameters:
  ///   - typed: the new file. An existing one is never replaced.
  ///   - recipients: age recipients instead of the store's.
  package nonisolated(nonsending) static func write(
    to typed: String, recipients: [String], in world: World
  ) async throws(Failure) -> Outcome {
    let project = try Project(in: world)
    let path = world.absolute(typed)
    if let role = TakenFiles(project, in: world).role(of: path) { throw .taken(typed, role, by: "backup", "Backup") }
    guard FileIdentity(path) == nil else {
      throw Failure(
        .usage, "Backup would replace a file", "\(typed) exists, and a backup replaces nothing.",
        hint: "Choose another name.")
    }
    var others: [AgeRecipient] = []
    for text in recipients {
      do throws(AgeError) {
        others.append(try AgeRecipient(parsing: text))
      } catch {
        throw Failure(.usage, "Invalid recipient", "--recipient \(text): \(error).")
      }
    }
    let (place, identities) = (try ResolvedStore(of: project, in: world), try await Identities(in: world))
    OpenStore.log(place, identities, in: world)
    return try await place.waiting(in: world) { [others] () throws(Failure) in
      // Only a store that is trusted, and not an older copy.
      let facts = try OpenStore.reading(place, identities, wanting: .nothing) { store throws(Failure) in
        try Failure.from { () throws(StoreError) in try store.facts() }
      }
      let made = try Failure.from { () throws(StoreError) in
        try StoreBackup.file(
          of: place.location, identities: identities.all, to: others, at: world.now,
          plugins: identities.plugins)
      }
      guard made.facts.id == facts.id, made.facts.rootID == facts.rootID else { throw Failure(moved) }
      do throws(FileError) {
        try AtomicFile.replace(path, with: made.file, expecting: nil)
      } catch {
        throw Failure(error, "Backup not written")
      }
      try verify(path, typed, made.file)
      return Outcome(store: made.facts, records: made.records, values: made.values)
    }
  }

  /// Reads the file again, because the disk may be faulty. Its content can be restored, otherwise it would not be encrypted.
  private static func verify(_ path: String, _ typed: String, _ written: [UInt8]) throws(Failure) {
    let found = try? SafeFile.readPrivate(path, limit: written.count)
    guard found != written else { return }
    try? AtomicFile.remove(path)
    throw Failure(
      .failed, "Backup not written", "\(typed) did not contain what was written to it, and was removed.",
      hint: "Check the disk, or write the backup elsewhere.")
  }
}
