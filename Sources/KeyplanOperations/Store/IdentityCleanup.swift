internal import KeyplanAge
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// The end of a replacement: identities that no store needs any more leave the file.
package struct IdentityCleanup {
  package let path: String
  /// The recipients whose identities stay.
  package let kept: [String]
  /// The recipients whose identities are removed.
  package let removed: [String]
  /// Stores that this machine knows and that were not opened, as people see them: a connection to them was not requested.
  package let unchecked: [String]
  private let file: IdentityFile

  /// Opens the store of each environment, and the other files that this machine knows as stores.
  /// - Throws: `Failure` if the store of an environment cannot be opened.
  package init(in world: World) async throws(Failure) {
    guard let path = Identities.file(in: world) else { throw .notInFile }
    self.path = path
    file = try IdentityFile(path)
    let identities = try await Identities(in: world)
    var needed: Set<String> = []
    var opened: Set<String> = []
    for project in try EveryEnvironment(in: world).projects {
      // Also of a change that is not applied yet.
      needed.formUnion((project.reading.manifest?.recipients ?? [:]).values.map(\.publicKey))
      let place = try ResolvedStore(of: project, in: world)
      guard try place.exists(in: world) else { continue }
      let recorded = try await place.waiting(in: world) { () throws(Failure) in
        try OpenStore.reading(place, identities) { store throws(Failure) in
          try Failure.from { () throws(StoreError) in try store.recorded() }
        }
      }
      opened.insert(place.trust.place)
      needed.formUnion(recorded.recipients.values.map(\.publicKey))
    }
    guard !opened.isEmpty else { throw .noStoreToCheck }
    var unchecked: [String] = []
    let seen = try SeenCommits(in: world)
    for place in try KnownStores(in: world).places where !opened.contains(place) {
      guard let other = KnownStores.file(at: place) else {
        unchecked.append(KnownStores.shown(place, in: world))
        continue
      }
      guard world.fileExists(other) else { continue }
      do throws(StoreError) {
        let store = try SealedStore.open(
          at: .file(other), identities: identities.all, access: .reading, lastSeen: seen.last)
        needed.formUnion(try store.recorded().recipients.values.map(\.publicKey))
      } catch {
        if error.code != .wrongIdentity { unchecked.append(KnownStores.shown(place, in: world)) }
      }
    }
    let all = file.entries.map(\.recipient)
    (kept, removed) = (all.filter(needed.contains), all.filter { !needed.contains($0) })
    self.unchecked = unchecked
    guard !kept.isEmpty else { throw .nothingKept(path) }
  }

  package func carryOut() throws(Failure) { try file.remove(Set(removed)) }
}

extension Failure {
  fileprivate static let notInFile = Failure(
    .usage, "Identity is not in a file", "The identity in use is in KEYPLAN_IDENTITY.",
    hint: "Remove the old identity from the variable.")

  fileprivate static let noStoreToCheck = Failure(
    .storeRefused, "Store not found", "No environment of this manifest has a store that could be opened.",
    hint: "Run this in a project whose change of recipients was applied.")

  fileprivate static func nothingKept(_ path: String) -> Failure {
    Failure(
      .failed, "Nothing was removed", "None of the identities in \(path) is a recipient of the store.",
      hint: "Apply the change of recipients first: keyplan apply")
  }
}
