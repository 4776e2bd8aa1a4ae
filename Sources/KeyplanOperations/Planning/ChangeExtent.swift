package import KeyplanModel
internal import KeyplanPlanning

/// The extent of a command that changes a key.
package enum ChangeExtent: Sendable {
  /// Only the store is changed: the next apply does the rest.
  case store
  /// Slots and targets follow.
  /// - mayRemove: whether a value without a replacement is also removed.
  case targets(mayRemove: Bool = true)
}

extension Workspace {
  /// The consequences of a change of a key, as far as this run may carry them out; nil if only the store is changed.
  func consequences(
    of change: KeyChange, in next: Plan, _ reported: [Diagnostic], _ recorded: Recorded, _ extent: ChangeExtent
  ) -> Consequences? {
    guard case .targets(let mayRemove) = extent else { return nil }
    return Consequences(
      of: change, in: next, reported, manifest, recorded,
      extent: checkout == .untrusted ? .none : mayRemove ? .all : .replacements)
  }
}

extension RecordEdit {
  /// The edit for a value that a person set for a key, with its consequences.
  /// - Parameter whole: the plan for everything.
  package init(setting key: Identifier<Key>, in whole: PlanRun, _ extent: ChangeExtent) {
    let (workspace, own) = (whole.workspace, whole.limited(to: .key(key)))
    let steps = own.plan.steps.filter { if case .store = $0.effect { true } else { false } }
    let isGiven = steps.contains { $0.effect.action != .update }
    let parts = Set(WholeKeys(workspace.manifest, workspace.recorded).parts(of: key))
    let made = workspace.recorded.dependents(of: parts, in: workspace.manifest)
    var values = workspace.recorded.values(of: Array(parts.union(made)))
    // A value that is generated is known at apply only, and so is one that is made of it.
    if isGiven {
      values[key] = steps.compactMap(\.ground.source).first
      for id in made { values[id] = nil }
    }
    let change = KeyChange(steps, of: parts.union(made), values: values)
    let consequences = workspace.consequences(
      of: change, in: whole.plan, whole.diagnostics, workspace.recorded, extent)
    let planned = own.changed(to: steps, consequences)
    let followed = consequences?.steps.count ?? 0
    self.init(planned, consequences, next: whole.plan.steps.count - planned.plan.steps.count + followed)
  }
}

extension Manifest {
  /// A slot, and the targets that it feeds.
  package func addresses(fedBy slot: Identifier<Slot>) -> [Address] {
    let targets = targets.filter { $0.value.entries.contains { $0.feed == .slot(slot) } }.keys.sorted()
    return [.slot(slot)] + targets.map(Address.target)
  }
}

extension PlanRun {
  /// The same with the steps of a change, and with its consequences.
  func changed(to steps: [Step], _ consequences: Consequences?) -> PlanRun {
    guard let consequences else { return self }
    return PlanRun(
      workspace, Plan(steps: steps + consequences.steps), diagnostics + consequences.diagnostics, allowances, given,
      grants: grants, left: left, only: only.isEmpty ? [] : only + consequences.targets.map(Address.target))
  }
}

extension Recorded {
  /// The current values of keys.
  func values(of ids: [Identifier<Key>]) -> [Identifier<Key>: Fingerprint] {
    Dictionary(ids.compactMap { id in keys[id].map { (id, $0.version.fingerprint) } }) { first, _ in first }
  }
}
