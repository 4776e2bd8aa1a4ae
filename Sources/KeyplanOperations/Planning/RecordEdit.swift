package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanReporting

/// A manual change of records: its plan, and the steps that remain for the next apply.
package struct RecordEdit {
  package let planning: PlanRun
  /// The number of steps that it leaves for the next apply.
  package let rest: Int
  /// The names that lose their value without getting another one, by target.
  package let removed: [Identifier<Target>: [String]]

  /// - Parameter next: the number of steps that the next apply would have after the change.
  init(_ planning: PlanRun, _ consequences: Consequences?, next: Int) {
    self.planning = planning
    rest = max(0, next - (consequences?.steps.count ?? 0))
    removed = consequences?.removed ?? [:]
  }

  /// Observes only the places that the change affects.
  package init(
    _ workspace: Workspace, _ amendment: Amendment, allowingToForget: Bool = false,
    grants: [Identifier<Account>: AccountGrant] = [:], _ extent: ChangeExtent = .store
  ) async throws(Failure) {
    let (manifest, recorded) = (workspace.manifest, workspace.recorded)
    let allowances = Allowances(forget: allowingToForget)
    var observation = Observation(recorded: recorded)
    var selection: Selection?
    if let chosen = Self.chosen(by: amendment, workspace) {
      for case .key(let key) in chosen { try Self.refuse(renaming: key, workspace) }
      let part = Selection(chosen, in: manifest, recorded: recorded)
      observation = try await workspace.observe(only: part)
      if !workspace.issuers.isEmpty { observation.checkable = workspace.checkable { $0.minting != nil } }
      selection = part
    }
    let amended = Plan.amending(
      manifest, by: amendment, with: observation, allowing: allowances, at: workspace.world.now)
    let next = selection.map { amended.next.limited(to: $0).steps.count } ?? 0
    let consequences = Self.change(by: amendment, amended, workspace).flatMap { change, after in
      workspace.consequences(of: change, in: amended.next, amended.nextDiagnostics, after, extent)
    }
    var diagnostics = amended.diagnostics
    if case .revoke(let id, _) = amendment, !amended.plan.isEmpty {
      diagnostics += await workspace.environments(sharing: WholeKeys(manifest, recorded).parts(of: id))
    }
    let own = PlanRun(workspace, amended.plan, diagnostics, allowances, grants: grants)
    self.init(own.changed(to: amended.plan.steps, consequences), consequences, next: next)
  }

  /// The change of a key that an amendment makes, with the records after it; nil for one that changes no key's value.
  private static func change(
    by amendment: Amendment, _ amended: AmendedPlan, _ workspace: Workspace
  ) -> (KeyChange, Recorded)? {
    let id: Identifier<Key>? =
      switch amendment {
      case .rollback(let id, _), .acceptSource(let id), .revoke(let id, _): id
      case .restore(let forgotten, _): forgotten.key
      case .acceptTarget(let target, let name): workspace.recorded.targets[target]?.entries[name]?.key
      case .move, .forget, .purge, .signIn, .signOut: nil
      }
    guard let id, let after = amended.after else { return nil }
    let parts = WholeKeys(workspace.manifest, workspace.recorded, andForgotten: true).parts(of: id)
    let isRevocation = if case .revoke = amendment { true } else { false }
    let made = workspace.recorded.dependents(of: parts, in: workspace.manifest)
    var values = after.values(of: parts + made)
    // Their next values are known at apply only.
    for case .store(.key(let id, .replace)) in amended.next.steps.map(\.effect) where made.contains(id) {
      values[id] = nil
    }
    let change = KeyChange(
      amended.plan.steps, of: made.union(parts), values: values, isRevocation: isRevocation)
    return (change, after)
  }

  /// Whether there is nothing to do, and no error.
  package var isIdle: Bool { planning.plan.isEmpty && planning.statuses.isEmpty }

  /// The revocation of a key's current value.
  package static func revoking(
    _ key: Identifier<Key>, because reason: String?, in workspace: Workspace, _ extent: ChangeExtent
  ) async throws(Failure) -> RecordEdit {
    if let reason,
      reason.isEmpty || reason.utf8.count > Revocation.reasonLimit
        || reason.unicodeScalars.contains(where: {
          $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
        })
    {
      throw Failure(
        .usage, "Invalid reason", "A reason is one line of at most \(Revocation.reasonLimit) bytes.",
        hint: "Shorten it: --reason \"leaked in a log\"")
    }
    return try await RecordEdit(workspace, .revoke(key, reason: reason), extent)
  }

  /// The addresses for which the next plan is made; nil if unknown before a record has its new name.
  private static func chosen(by amendment: Amendment, _ workspace: Workspace) -> [Address]? {
    switch amendment {
    case .move: nil
    case .forget(.key(let id)), .rollback(let id, _), .acceptSource(let id), .revoke(let id, _), .purge(let id, _):
      users(of: id, workspace)
    case .forget(.entry(let target, _)): [.target(target)]
    case .forget(let address): [address]
    case .signIn(let id), .signOut(let id): [.calendar(id)]
    case .restore(let forgotten, _): users(of: forgotten.key, workspace)
    case .acceptTarget(let target, let name):
      [.target(target)]
        + (workspace.recorded.targets[target]?.entries[name].map { users(of: $0.key, workspace) } ?? [])
    }
  }

  /// A key with all its parts and with what is made of it, and the slots and targets that use one of these or will use it.
  static func users(of id: Identifier<Key>, _ workspace: Workspace) -> [Address] {
    let (manifest, recorded) = (workspace.manifest, workspace.recorded)
    let whole = Set(WholeKeys(manifest, recorded, andForgotten: true).parts(of: id))
    let parts = whole.union(recorded.dependents(of: whole, in: manifest))
    let slots = Set(
      recorded.slots.filter { parts.contains($0.value.key) }.map(\.key)
        + manifest.slots.filter { !parts.isDisjoint(with: $0.value.candidates) }.map(\.key))
    let holding =
      recorded.targets.filter { $0.value.entries.values.contains { parts.contains($0.key) } }.map(\.key)
      + recorded.attempts.filter { $0.value.names.values.contains { parts.contains($0) } }.map(\.key)
    let fed = manifest.targets.filter { _, target in
      target.entries.contains { entry in
        switch entry.feed {
        case .key(let key): parts.contains(key)
        case .slot(let slot): slots.contains(slot)
        }
      }
    }
    return parts.map(Address.key) + slots.map(Address.slot) + Set(holding + fed.map(\.key)).map(Address.target)
  }

  /// Fingerprints of a key that is about to be renamed are still those of its old name.
  private static func refuse(renaming id: Identifier<Key>, _ workspace: Workspace) throws(Failure) {
    let moves = workspace.manifest.moves(in: workspace.recorded)
    guard let move = moves.first(where: { $0.key == id || $0.value == id }) else { return }
    throw Failure(
      .failed, "Rename is pending", "A migration in the manifest renames \"\(move.value)\" to \"\(move.key)\".",
      hint: "Apply it first: keyplan apply --only key.\(move.key)")
  }
}

extension Workspace {
  /// A plan that only replaces the store's root key.
  package func rekeying() throws(Failure) -> Plan {
    guard store != nil else { throw Failure.noStore(place) }
    return Plan(steps: [
      Step(.store(.rewrap(Rewrap(rekeying: recorded.recipients))), because: .byHand)
    ])
  }
}
