extension Draft {
  /// What the manifest touches outside its folder is allowed by steps of its own, before anything touches it.
  mutating func planSurface() {
    var items: Set<SurfaceItem> = []
    for (id, key) in manifest.keys where !unsupported.contains(.key(id)) {
      items.formUnion(key.sources.compactMap(\.surface))
    }
    for (id, target) in manifest.targets where !unsupported.contains(.target(id)) {
      if let item = target.destination.surface { items.insert(item) }
    }
    for item in items.subtracting(recorded.surface).sorted() { add(.allow, at: .surface(item), because: .manifest) }
  }

  /// Who can open the store, where the manifest says so and there is a store.
  mutating func planRecipients() {
    guard let declared = manifest.recipients, recorded.store != nil, declared != recorded.recipients,
      !unsupported.contains(.recipients)
    else { return }
    let leaving = Set(recorded.recipients.values.map(\.publicKey)).subtracting(declared.values.map(\.publicKey))
    if !declared.values.contains(where: { $0.role == .full }) {
      tell(
        .recipientsRefused, "Nobody could open the store any more.", hint: "Name at least one recipient.",
        of: .recipients)
    } else if let identity = observed.identity, leaving.contains(identity) {
      tell(
        .recipientsRefused,
        "The identity in use would lose its access to the store: \(identity) is no longer a recipient.",
        hint: "Keep it in `recipients`, or let somebody else who stays apply this.", of: .recipients)
    }
    let added = declared.filter { recorded.recipients[$0.key] != $0.value }.keys.map(\.name).sorted()
    let removed = recorded.recipients.filter { leaving.contains($0.value.publicKey) }.keys.map(\.name).sorted()
    let all = declared.inOrder.map { Rewrap.Recipient(name: $0.key, value: $0.value) }
    add(.rewrap(Rewrap(recipients: all, added: added, removed: removed)), at: .recipients, because: .manifest)
  }

  /// Closes what an interrupted run left open where nothing is left to do.
  mutating func planSettling() {
    let planned = Set(steps.map(\.address))
    for address in recorded.interrupted.keys.sorted() where !planned.contains(address) {
      add(.settle, at: address, because: .interrupted)
    }
  }
}
