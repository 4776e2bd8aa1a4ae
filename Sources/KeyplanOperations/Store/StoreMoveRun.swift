package import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
internal import KeyplanStore

/// Moves a store from a file to a server, or back.
package struct StoreMoveRun {
  /// The effects of the move.
  package let report: MoveReport
  /// Set if the store is already at the new place, and nothing remains to be done.
  package let arrived: StoreState?
  private let move: StoreMove
  private let destination: StoreDestination
  private let world: World

  /// Inspects both places without changing them.
  /// - Parameter to: an address or a file; nil for the default file.
  package nonisolated(nonsending) init(
    _ project: Project, from: ResolvedStore, to: String?, in world: World
  ) async throws(Failure) {
    self.world = world
    destination = try StoreDestination(to, of: project, from, in: world)
    let identities = try await Identities(in: world)
    OpenStore.log(from, identities, in: world)
    move = StoreMove(
      from: from.location, to: destination.place.location, identities: identities.all,
      names: (from.lasting, destination.place.lasting))
    let seen = try SeenCommits(in: world)
    let survey: StoreMove.Survey
    do throws(StoreError) {
      survey = try move.survey()
    } catch {
      throw Failure.opening(from, identities, error)
    }
    try from.trust.require(survey.facts) { () throws(Failure) in [] }
    if case .there = survey.destination {} else { try from.trust.requireFresh(survey.facts, seen: seen, for: .writing) }
    report = MoveReport(survey, from, destination, in: world)
    guard case .there = survey.destination else {
      arrived = nil
      return
    }
    let store = try OpenStore.open(destination.place, identities, .reading)
    arrived = StoreState(try Failure.from { () throws(StoreError) in try store.facts() })
  }

  /// Copies the store, compares the copies, and makes the new one the store.
  package func carryOut() async throws(Failure) -> MoveReport.Ending {
    let timeout = world.settings.lockTimeout ?? .zero
    let activity = world.console.activity(LiveLine(waiting: ["moving the store"]))
    let outcome = try await activity.showing { () async throws(Failure) in
      try await Failure.awaiting { () async throws(StoreError) in
        try await move.carryOut(command: "keyplan store move", job: world.job, since: world.now, timeout: timeout)
      }
    }
    // The new place is trusted because the user moved the store there; keyplan.lock does not change.
    try destination.place.trust.rememberHere(Pin(outcome.facts))
    destination.place.trust.noteCommit(outcome.facts)
    return .moved(StoreState(outcome.facts), digest: outcome.digest, marked: outcome.marked)
  }
}
