extension Manifest {
  /// All external accesses with the terms of each, including those of unsupported declarations and of completed migrations.
  package var surface: [ExternalAccess: Set<String>] {
    var surface: [ExternalAccess: Set<String>] = [:]
    func take(_ reference: Reference) {
      if let item = reference.surface { surface[item, default: []].formUnion(reference.terms) }
    }
    for (id, key) in keys {
      key.sources.forEach(take)
      if let item = key.unsafeVariable { surface[item, default: []].insert(Surface.term(of: id)) }
    }
    for migration in migrations { migration.original.map(take) }
    for item in (recipients ?? [:]).plugins { surface[item, default: []].formUnion([]) }
    for (id, target) in targets {
      for item in self.surface(of: target) {
        // A command with permission to run for one target must not get the values of another.
        let isBound = item.kind == .variable || item.kind == .command
        surface[item, default: []].formUnion(isBound ? [Surface.term(of: id)] : [])
      }
    }
    for (id, hook) in hooks {
      if let item = hook.surface { surface[item, default: []].formUnion(hook.terms.union([Surface.term(of: id)])) }
    }
    for account in accounts.values { surface.merge(account.surfaceTerms) { $0.union($1) } }
    for connection in usedConnections { surface.merge(connection.surfaceTerms) { $0.union($1) } }
    surface.merge(checkTerms) { $0.union($1) }
    return surface
  }

  /// The surface of a target: its place, if that is outside the manifest's folder, its hook, and the variables among its names
  /// that need a permission.
  package func surface(of target: Target) -> [ExternalAccess] {
    var surface = self.surface(at: target.destination) + [target.hook?.surface].compactMap(\.self)
    if target.areUnsafeNamesAllowed {
      let names = Set(target.entries.flatMap(possibleNames)).filter(VariableName.isUnsafe)
      surface += names.sorted().map { ExternalAccess(.variable, $0) }
    }
    return surface
  }

  /// Every name under which one line of a target may write a key.
  package func possibleNames(of entry: Target.Entry) -> [String] {
    let candidates =
      switch entry.feed {
      case .key(let key): [key]
      case .slot(let slot): slots[slot]?.candidates ?? []
      }
    return candidates.compactMap { key in keys[key].flatMap { entry.name(for: $0.facts) } }
  }
}
