internal import KeyplanModel

/// Plans a permission for everything that the manifest accesses outside its folder, before the first access.
struct PermissionStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()
  /// Accesses that cannot be permitted, and so must not be used by any step.
  private(set) var refused: Set<Address> = []

  /// - Parameter used: the external accesses of the declared keys.
  init(_ context: PlanningContext, _ used: Set<ExternalAccess>) {
    self.context = context
    let wanted = observed.wantedSurface(of: manifest)
    var items = used
    items.formUnion(context.adoptions.values.compactMap { $0.original?.surface })
    items.formUnion(context.takeovers.values.compactMap { $0.original?.surface })
    for connection in manifest.usedConnections { items.formUnion(connection.surfaceTerms.keys) }
    items.formUnion(manifest.checkTerms.keys)
    for (id, target) in manifest.targets where !unsupported.contains(.target(id)) {
      items.formUnion(manifest.surface(of: target))
    }
    items.formUnion(context.leavingHooks.values.compactMap(\.surface))
    for (id, account) in manifest.accounts where !unsupported.contains(.calendar(id)) {
      items.formUnion(account.surface)
    }
    items.formUnion(context.plugins)
    for item in items.sorted() {
      let terms = wanted[item] ?? []
      let unverifiable = FileTerm.unverifiable(among: terms)
      // If such terms were recorded, they would permit nothing, and be planned again each time.
      guard unverifiable.isEmpty else {
        for (name, reason) in unverifiable { report(.access(item, .contentUnknown(name, reason))) }
        refused.insert(.surface(item))
        continue
      }
      let was = recorded.surface[item]
      if was != terms { add(.store(.allow(item, AccessGrant(terms, was: was))), because: .manifest) }
    }
  }
}

/// Revokes permissions that the manifest no longer uses, so that they must be approved again if it uses them later. Values that a
/// target still has there are withdrawn first, because that requires the permission.
struct RevocationStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(
    _ context: PlanningContext, _ targets: TargetStage, _ hooks: HookStage, _ accounts: AccountStage,
    _ issued: IssuedStage
  ) {
    self.context = context
    guard !recorded.surface.isEmpty else { return }
    let gone = Set(recorded.surface.items).subtracting(declaredItems)
    guard !gone.isEmpty else { return }
    var holders: [ExternalAccess: [Address]] = [:]
    for (id, hook) in context.leavingHooks.inOrder {
      if let item = hook.surface { holders[item, default: []].append(.target(id)) }
    }
    for (id, record) in recorded.targets.inOrder {
      for item in manifest.surface(at: record.destination) { holders[item, default: []].append(.target(id)) }
    }
    for (id, attempt) in recorded.attempts.inOrder
    where !context.leftovers(of: id, at: attempt.destination, targets.claims).isEmpty {
      for item in manifest.surface(at: attempt.destination) { holders[item, default: []].append(.target(id)) }
    }
    for (id, record) in recorded.undeclared(in: manifest) {
      for item in Set(record.issued.flatMap { manifest.surface(at: $0.place) }) {
        holders[item, default: []].append(.key(id))
      }
    }
    for (id, record) in recorded.accounts.inOrder where manifest.accounts[id] == nil {
      for item in record.facts.hosts { holders[item, default: []].append(.calendar(id)) }
    }
    let cleared = Set(
      (targets.decisions.steps + hooks.decisions.steps + accounts.decisions.steps + issued.decisions.steps).compactMap {
        step -> Address? in
        switch step.effect {
        case .outside(.signOut): return step.address
        case .outside(.end): return step.address
        case .outside(.run(let id, _)): return context.leavingHooks[id] == nil ? nil : step.address
        case .outside(.withdraw(let id, let removal)):
          let isLast = context.leavingHooks[id] != nil
          return isLast || !gone.isDisjoint(with: manifest.surface(at: removal.destination)) ? step.address : nil
        default: return nil
        }
      })
    let plugins = recorded.recipients.plugins
    for item in gone.sorted() {
      let holders = holders[item] ?? []
      guard holders.allSatisfy(cleared.contains) else { continue }
      let recipients = plugins.contains(item) ? [Address.recipients] : []
      add(.store(.disallow(item)), because: .manifest, after: holders + recipients)
    }
  }

  /// The accesses that the manifest uses beyond this plan: the hook of a target that was removed runs once more and then never again.
  private var declaredItems: Set<ExternalAccess> {
    var items = Set(manifest.surface.keys).union(context.plugins)
    let kept = Set(manifest.targets.values.compactMap { $0.hook?.surface })
    for (id, hook) in manifest.hooks where manifest.targets[id] == nil {
      if let item = hook.surface, !kept.contains(item) { items.remove(item) }
    }
    return items
  }
}

extension PlanningContext {
  /// The programs that encrypt to the recipients: those of the manifest, or those that stay.
  fileprivate var plugins: Set<ExternalAccess> {
    let declared = unsupported.contains(.recipients) ? nil : manifest.recipients
    return (declared ?? recorded.recipients).plugins
  }

  /// The hooks of targets that are, or were, withdrawn as a whole, and whose hook has not run yet.
  fileprivate var leavingHooks: [Identifier<Target>: Reference] {
    manifest.hooks.filter { id, _ in
      manifest.targets[id] == nil
        && (recorded.targets[id] != nil || recorded.attempts[id] != nil || recorded.dueHooks[id] != nil)
    }
  }
}
