internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

/// The immutable inputs of the steps of one apply. A class, because each of them holds it: one reference instead of many.
final class RunContext: Sendable {
  let applier: Applier
  /// The records at the start of the run, under the names that the plan gives: the precondition of every step, because the
  /// lock keeps everybody else out.
  let start: Recorded
  /// The permitted accesses, and their terms.
  let limits: ObservationLimits
  /// The keys that are parts of one.
  let wholes: WholeKeys
  /// The manifest's adoptions, by the key that each is for.
  let adoptions: [Identifier<Key>: Migration]
  /// The manifest's migrations of refresh tokens, by account.
  let takeovers: [Identifier<Account>: Migration]
  /// The permissions that this plan grants.
  let allowing: Set<Address>

  init(_ applier: Applier, _ plan: Plan, _ recorded: Recorded, _ moves: [Identifier<Key>: Identifier<Key>]) {
    self.applier = applier
    start = recorded.moving(moves)
    limits = ObservationLimits(applier.manifest, start, applier.observer.checkout)
    wholes = WholeKeys(applier.manifest, start, andForgotten: true)
    let migrations = applier.manifest.migrations.filter { $0.original != nil }
    adoptions = Dictionary(migrations.compactMap { item in item.key.map { ($0, item) } }) { first, _ in first }
    takeovers = Dictionary(migrations.compactMap { item in item.account.map { ($0, item) } }) { first, _ in first }
    allowing = Set(plan.steps.filter { $0.effect.action == .allow }.map(\.address))
  }

  var manifest: Manifest { applier.manifest }
  var observer: Observer { applier.observer }
  var now: Moment { applier.clock() }
}
