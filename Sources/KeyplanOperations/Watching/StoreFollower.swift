package import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// Follows a store, for a long-running program: the records are read again only after the store changed, values only on request. The
/// identity is opened once, because its passphrase cannot be asked for later.
package struct StoreFollower: Sendable {
  private let world: World
  private let identities: Identities
  /// Nil until it is found, and after an error: the manifest or the store may have moved.
  private var place: ResolvedStore?
  private var stamp: StoreStamp?
  private var latest = Recorded()
  private var pause: StorePause?

  /// Finds the store and opens the identity.
  package nonisolated(nonsending) init(in world: World) async throws(Failure) {
    self.world = world
    let place = try ResolvedStore(in: world)
    identities = try await Identities(in: world)
    OpenStore.log(place, identities, in: world)
    self.place = place
  }

  private init(_ other: StoreFollower, in world: World) {
    (self.world, identities) = (world, other.identities)
    (place, stamp, latest, pause) = (other.place, other.stamp, other.latest, other.pause)
  }

  /// The same with another console.
  package func reporting(to console: any Console) -> StoreFollower {
    var world = world
    world.console = console
    return StoreFollower(self, in: world)
  }

  /// The present records.
  /// - Parameter mayBeCopy: whether this machine's copy is read while the store's server is unreachable.
  /// - Throws: `Failure` if the store cannot be read now, or is refused.
  package nonisolated(nonsending) mutating func recorded(mayBeCopy: Bool = false) async throws(Failure) -> Recorded {
    do throws(Failure) {
      let place = try found()
      // Before the records: a commit in between is noticed the next time.
      let fresh = try Failure.from { () throws(StoreError) in try StoreStamp(of: place.location) }
      if let stamp, stamp.isSettled, stamp == fresh { return latest }
      latest = try await StoreReading.reading(at: place, with: identities, in: world) { store throws(Failure) in
        try store.recorded()
      }
      (self.place, stamp) = (place, fresh)
      return latest
    } catch {
      (place, stamp) = (nil, nil)
      guard mayBeCopy, error.status == .unreachable else { throw error }
      // Without a stamp: as soon as the server answers, its records are read.
      latest = try await StoreReading.reading(
        at: try ResolvedStore(in: world), with: identities, in: world, mayBeCopy: true
      ) { store throws(Failure) in try store.recorded() }
      return latest
    }
  }

  /// The present values of a selection.
  package nonisolated(nonsending) func exports(
    _ selection: ExportSelection, mayBeCopy: Bool = false
  ) async throws(Failure) -> [Export] {
    try await StoreReading.reading(at: try found(), with: identities, in: world, mayBeCopy: mayBeCopy) {
      store throws(Failure) in try store.exports(selection)
    }
  }

  /// Waits for the next look: an interval, or until the store's server announces a commit, or the task is cancelled.
  package nonisolated(nonsending) mutating func wait(atMost interval: Duration) async {
    // While the store cannot be found, the listener stays at its former place, to which it may return.
    if let place, pause?.place != place.shown { pause = StorePause(place) }
    guard let pause else {
      _ = try? await Task.sleep(for: interval)
      return
    }
    await pause.wait(interval)
  }

  private func found() throws(Failure) -> ResolvedStore {
    if let place { return place }
    return try ResolvedStore(in: world)
  }

  /// The version of each variable of a selection in these records; equal versions have equal values.
  /// - Throws: `Failure` if one of the keys is not available any more.
  package func versions(_ selection: ExportSelection, in recorded: Recorded) throws(Failure) -> [String: String] {
    try StoreReading.exportedVersions(selection, in: recorded, at: world.now)
  }
}

extension Failure {
  /// Whether a key is not available, in contrast to a store that cannot be read.
  package var isAboutKey: Bool {
    switch storeCode {
    case .otherRecipients, .notRecorded: true
    case nil: status == .failed
    default: false
    }
  }
}
