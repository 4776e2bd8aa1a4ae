internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting
internal import KeyplanSecrets
internal import KeyplanStore

extension Workspace {
  /// Warnings about other environments with the current value of one of these keys. Only stores in files are opened that this machine
  /// knows: a connection was not requested.
  func environments(sharing keys: [Identifier<Key>]) async -> [Diagnostic] {
    guard checkout == .trusted, let store, let identities,
      let others = try? EveryEnvironment(in: world).projects.filter({ $0.environment != project.environment })
    else { return [] }
    let own = keys.compactMap { key in (try? store.value(of: key, version: nil)).map { (key, $0) } }
    var warnings: [Diagnostic] = []
    for other in others {
      guard let place = try? ResolvedStore(of: other, in: world), let file = place.file, world.fileExists(file) else {
        continue
      }
      let found = try? OpenStore.reading(place, identities) { store throws(Failure) in
        let records = try Failure.from { () throws(StoreError) in try store.recorded() }.keys
        return own.map { key, value in
          let same = records.filter { id, record in
            record.revocation == nil && record.version.fingerprint == store.fingerprint(value, of: id)
          }
          return (key, same.keys.sorted())
        }
      }
      let name = EveryEnvironment.name(of: other)
      warnings += (found ?? []).filter { !$0.1.isEmpty }.map { key, same in
        Diagnostic(.key(key, .elsewhere(environment: name, same)), at: manifest.keys[key]?.place)
      }
    }
    return warnings
  }
}
