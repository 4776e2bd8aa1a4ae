internal import KeyplanCore

extension Run {
  /// What must be allowed for the connections that a step uses, and is not: the manifest may have changed since a saved plan was
  /// made, and with it where they lead and what is sent there.
  func forbidden(to step: Step) -> ExternalAccess? {
    guard !applier.manifest.connections.isEmpty else { return nil }
    return schemes(usedBy: step).lazy.compactMap { self.limits.forbidden($0, allowing: self.allowing) }.first
  }

  /// The names by which a step reads sources or leads to a target.
  private func schemes(usedBy step: Step) -> [String] {
    switch step.effect {
    case .sync(let write): [write.destination.type]
    case .withdraw(let removal): [removal.destination.type]
    case .accept(let acceptance): [acceptance.destination.type]
    case .store, .replace, .update, .adopt, .remove, .adoptToken, .refresh, .select:
      switch step.address {
      case .key(let id):
        (applier.manifest.keys[id]?.sources.map(\.scheme) ?? []) + [adoptions[id]?.original?.scheme].compactMap(\.self)
      case .calendar(let id):
        (applier.manifest.accounts[id]?.references.map(\.scheme) ?? [])
          + [takeovers[id]?.original?.scheme].compactMap(\.self)
      case .migration(let number):
        applier.manifest.migrations.filter { $0.number == number }.compactMap(\.original?.scheme)
      case .slot, .target, .entry, .recipients, .surface, .rules, .store: []
      }
    case .allow, .disallow, .upgrade, .guards, .rewrap, .move, .activate, .deactivate, .settle, .retire, .forget,
      .rollback, .restore, .authorize, .signOut:
      []
    }
  }
}
