internal import KeyplanModel
internal import KeyplanPlanning

extension Run {
  /// The first permission that a step's commands and connections lack. The manifest and files of the checkout may have changed since a
  /// saved plan was made, and with them what the commands run, and the addresses and credentials of the connections.
  func forbidden(to step: Step) -> ExternalAccess? {
    let commands = items(usedBy: step).filter { $0.kind == .command }
    if let item = commands.first(where: { !allowing.contains(.surface($0)) && !limits.permits($0) }) { return item }
    guard !applier.manifest.connections.isEmpty else { return nil }
    return schemes(usedBy: step).lazy.compactMap { self.limits.forbidden($0, allowing: self.allowing) }.first
  }

  /// The hosts, commands and files that a step reads values from or writes them to and that need a permission.
  private func items(usedBy step: Step) -> [ExternalAccess] {
    switch step.effect {
    case .store(.key(let id, let effect)) where effect.write != nil:
      ((applier.manifest.keys[id]?.sources ?? []) + [adoptions[id]?.original].compactMap(\.self)).compactMap(\.surface)
    case .outside(.sync(_, let write)): [write.destination.surface].compactMap(\.self)
    case .outside(.withdraw(_, let removal)): [removal.destination.surface].compactMap(\.self)
    case .store, .outside, .person: []
    }
  }

  /// The schemes and target types that a step uses.
  private func schemes(usedBy step: Step) -> [String] {
    switch step.effect {
    case .store(.key(_, .accept(let acceptance))): [acceptance.destination.type]
    case .store(.key(let id, let effect)) where effect.write != nil:
      (applier.manifest.keys[id]?.sources.map(\.scheme) ?? []) + [adoptions[id]?.original?.scheme].compactMap(\.self)
    case .outside(.sync(_, let write)): [write.destination.type]
    case .outside(.withdraw(_, let removal)): [removal.destination.type]
    case .outside(.mint(let id, let mint)): [mint.place.type, mints[id]?.place.type].compactMap(\.self)
    case .outside(.settle(_, let late)): [late.place.type]
    case .outside(.disable(_, let end)), .outside(.end(_, let end)), .outside(.renew(_, let end)):
      end.keys.map(\.place.type)
    case .outside(.removeOriginal(let number, _, _)):
      applier.manifest.migrations.filter { $0.number == number }.compactMap(\.original?.scheme)
    case .outside(.refresh(let id, _)), .outside(.select(let id, _)), .outside(.signOut(let id, _)),
      .store(.adoptToken(let id, _, _)):
      (applier.manifest.accounts[id]?.references.map(\.scheme) ?? [])
        + [takeovers[id]?.original?.scheme].compactMap(\.self)
    case .store, .outside(.run), .person: []
    }
  }
}
