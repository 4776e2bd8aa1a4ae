internal import KeyplanManifest
package import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// `keyplan store move --undo`: restores the store at the old place if the new one is lost.
package struct MoveRollback {
  /// The place that the store was moved away from.
  private let place: ResolvedStore
  private let undoing: MoveUndoing
  private let world: World

  private let left: MoveUndoing.Left
  /// The effects of undoing the move.
  package let report: MoveUndoReport

  /// The state of the move.
  package enum Found {
    case moved(MoveRollback)
    case undone(UndoneMoveReport)
  }

  /// Inspects both places without changing them.
  /// - Parameter to: the lost place as named by the user; nil for the one recorded at the old place.
  /// - Throws: `Failure`, also if the store still exists there, or if that cannot be determined.
  package nonisolated(nonsending) static func find(
    _ project: Project, _ place: ResolvedStore, lost to: String?, in world: World
  ) async throws(Failure) -> Found {
    let identities = try await Identities(in: world)
    OpenStore.log(place, identities, in: world)
    let undoing = MoveUndoing(at: place.location, identities: identities.all, plugins: identities.plugins)
    guard let left = try opened(place, identities, { () throws(StoreError) in try undoing.left() }) else {
      guard let found = try opened(place, identities, { () throws(StoreError) in try undoing.undone() }) else {
        throw Failure(.usage, "Nothing to undo", "The store is at \(place.shown) and was not moved.", hint: other)
      }
      try place.trust.require(found.facts) { () throws(Failure) in [] }
      return .undone(
        UndoneMoveReport(
          environment: place.environment, store: StoreState(found.facts), place: place.name,
          rows: StoreRows(records: found.records, values: found.values), lostPlace: found.move.place,
          undoneAt: found.move.at))
    }
    try place.trust.require(left.facts) { () throws(Failure) in [] }
    let report = Self.report(left, try loss(left, to, project, in: world), place, project, in: world)
    return .moved(MoveRollback(place: place, undoing: undoing, world: world, left: left, report: report))
  }

  /// Makes the old place the store again.
  package func carryOut() async throws(Failure) -> StoreState {
    let activity = world.console.activity(LiveLine(waiting: ["undoing the move"]))
    let timeout = world.settings.lockTimeout ?? .zero
    let facts = try await activity.showing { () async throws(Failure) in
      try await Failure.awaiting { () async throws(StoreError) in
        try await undoing.carryOut(
          left, command: "keyplan store move --undo", job: world.job, since: world.now, timeout: timeout
        ) { fresh throws(StoreError) in try place.pin(fresh) }
      }
    }
    place.trust.noteCommit(facts)
    return StoreState(facts)
  }

  private static func report(
    _ left: MoveUndoing.Left, _ loss: MoveUndoing.Loss, _ place: ResolvedStore, _ project: Project, in world: World
  ) -> MoveUndoReport {
    let settings = world.settings
    let named = project.reading.settings.store
    // An address in the variable may have a password.
    let setting = settings.isStoreVariable ? named : place.setting(of: settings.storeArgument ?? named, in: project)
    return MoveUndoReport(
      environment: place.environment, store: StoreState(left.facts), place: place.name,
      rows: StoreRows(records: left.records, values: left.values), movedAt: left.at, lostPlace: left.to,
      loss: MoveUndoReport.Loss(loss), accounts: left.accounts, isPinned: place.pin != nil,
      setting: StoreSetting(
        line: setting, file: project.texts.last?.file ?? project.shown, isSet: named == setting, replacesLine: false,
        isVariableOld: settings.isStoreArgument && world.variable("KEYPLAN_STORE") != nil))
  }

  private static func opened<Result>(
    _ place: ResolvedStore, _ identities: Identities, _ read: () throws(StoreError) -> Result
  ) throws(Failure) -> Result {
    do throws(StoreError) {
      return try read()
    } catch {
      let failure = Failure.opening(place, identities, error)
      guard error.code == .noStore || error.code == .unreachable else { throw failure }
      throw Failure(failure.status, failure.summary, failure.detail, hint: other)
    }
  }

  private static let other = "Name the place from which the store was moved with --store."

  /// - Throws: if the store exists there, or if that cannot be determined.
  private static func loss(
    _ left: MoveUndoing.Left, _ to: String?, _ project: Project, in world: World
  ) throws(Failure) -> MoveUndoing.Loss {
    let new = try ResolvedStore(named: left.to, to, of: project, in: world)
    do throws(StoreError) {
      return try MoveUndoing.loss(of: left, at: new.location)
    } catch {
      guard error.code == .exists else {
        let failure = Failure(error)
        let other = new.shared == nil || to != nil ? error.hint : "Name it with --to as you reach it, with its user."
        throw Failure(
          failure.status, failure.summary, failure.detail,
          hint: [other, "A move is not undone while the new place responds."].compactMap(\.self).joined(separator: " "))
      }
      throw Failure(.failed, "Store is not lost", error.detail, hint: error.hint)
    }
  }

}

extension ResolvedStore {
  /// The place that a mark names. Its address has no user and no password: they come from the given place, or from the variable or the
  /// manifest if they name the same place; otherwise libpq uses its defaults.
  fileprivate init(named lasting: String, _ said: String?, of project: Project, in world: World) throws(Failure) {
    if let said {
      self = try ResolvedStore(to: said, of: project, in: world)
      guard [self.lasting, shown].contains(lasting) else {
        throw Failure(.usage, "Wrong place", "The store was moved to \(lasting), and --to names \(self.lasting).")
      }
      return
    }
    for chosen in [world.variable("KEYPLAN_STORE"), nil] {
      let place = try ResolvedStore(chosen, of: project, in: world)
      guard place.lasting != lasting else {
        self = place
        return
      }
    }
    self = try ResolvedStore(to: lasting, of: project, in: world)
    guard shared?.address.isWhole ?? true else {
      throw Failure(
        .usage, "Place not specified",
        "The store was moved to \(lasting), an address completed by variables of that machine.",
        hint: "Name the full address with --to.")
    }
  }
}
