package import KeyplanModel

/// Plans changes of the store: recipients and recorded rules. Also reports declarations that this version does not support.
struct StoreStage: PlanningStage {
  let context: PlanningContext
  var decisions = Decisions()

  init(_ context: PlanningContext) {
    self.context = context
    for item in manifest.unsupported { report(.unsupported(item.address, what: item.what), at: item.place) }
    planRecipients()
    reportClassicalRecipients()
    planGuards()
  }

  /// Plans changes of the recipients, if the manifest declares them and there is a store.
  private mutating func planRecipients() {
    guard let declared = manifest.recipients, recorded.store != nil, declared != recorded.recipients,
      !unsupported.contains(.recipients)
    else { return }
    let rewrap = Rewrap(from: recorded.recipients, to: declared)
    if !declared.values.contains(where: { $0.role == .full }) {
      report(.store(.noRecipients))
    } else if manifest.dependsOnKeyServices {
      report(.store(.onlyKeyServices))
    } else if let identity = identityLosingAccess(to: declared) {
      report(.store(.losesAccess(identity: identity)))
    }
    let planners = recorded.recipients.plannersLeaving(for: declared)
    if !planners.isEmpty { report(.store(.plannersLeave(planners))) }
    // Their programs are run to encrypt the keyring.
    let needed = declared.plugins.filter { recorded.surface[$0] == nil }.sorted()
    add(.store(.rewrap(rewrap)), because: .manifest, after: needed.map(Address.surface))
  }

  /// The recorded recipient that opens the store in this run, if no identity in use has the same access afterwards.
  private func identityLosingAccess(
    to declared: [Identifier<Recipient>: Recipient]
  ) -> String? {
    func keys(_ recipients: some Sequence<Recipient>, _ role: Recipient.Role) -> Set<String> {
      Set(recipients.lazy.filter { $0.role == .full || $0.role == role }.map(\.publicKey))
    }
    for role in [Recipient.Role.full, .plan] {
      let before = keys(recorded.recipients.values, role)
      guard let own = observed.identities.first(where: before.contains) else { continue }
      return keys(declared.values, role).isDisjoint(with: observed.identities) ? own : nil
    }
    return nil
  }

  /// A value is as safe as the weakest recipient that can open it. Without a post-quantum recipient, none is expected.
  private mutating func reportClassicalRecipients() {
    let full = (manifest.recipients ?? recorded.recipients).filter { $0.value.role == .full }
    let classical = full.filter { !$0.value.isPostQuantum }.keys.sorted()
    guard !classical.isEmpty, classical.count < full.count else { return }
    report(.store(.notPostQuantum(classical)))
  }

  /// The protection of keys is recorded, so that a plan can show what a change of the manifest removes.
  private mutating func planGuards() {
    let declared = manifest.guards
    guard declared != recorded.guards else { return }
    add(.store(.guards(GuardsChange(from: recorded.guards, to: declared))), because: .manifest)
  }
}

extension Manifest {
  /// Whether the store could not be opened without a key management service.
  package var dependsOnKeyServices: Bool {
    let full = (recipients ?? [:]).filter { $0.value.role == .full }.keys
    return !full.isEmpty && full.allSatisfy(sealedRecipients.contains)
  }

  /// The protection of its keys.
  package var guards: Guards {
    let waivers = targets.filter(\.value.takeOver).keys.map { "target.\($0) takes over values that are there" }
    let patience = exposedFor > Exposure.patience ? ["exposed values can stay for \(exposedFor.spoken)"] : []
    return Guards(demands: Set(rules.map(\.guarded)), waivers: Set(waivers + patience))
  }
}

/// The change of the protection of keys. Everything is sorted.
package struct GuardsChange: Hashable, Sendable, Codable {
  /// The demands that are added.
  package let demanded: [Guards.Demand]
  /// The demands that are removed: this protects less.
  package let dropped: [Guards.Demand]
  /// The waivers that are added: this protects less.
  package let waived: [String]
  /// The waivers that are removed.
  package let revoked: [String]

  package init(from old: Guards, to new: Guards) {
    demanded = new.demands.subtracting(old.demands).sorted()
    dropped = old.demands.subtracting(new.demands).sorted()
    waived = new.waivers.subtracting(old.waivers).sorted()
    revoked = old.waivers.subtracting(new.waivers).sorted()
  }

  /// Whether something is protected less than before.
  package var isLoosening: Bool { !dropped.isEmpty || !waived.isEmpty }

  /// The guards afterwards; nil if the current ones differ from those that it was made for.
  package func applied(to guards: Guards) -> Guards? {
    guard guards.demands.isSuperset(of: dropped), guards.demands.isDisjoint(with: demanded),
      guards.waivers.isSuperset(of: revoked), guards.waivers.isDisjoint(with: waived)
    else { return nil }
    return Guards(
      demands: guards.demands.subtracting(dropped).union(demanded),
      waivers: guards.waivers.subtracting(revoked).union(waived))
  }
}
