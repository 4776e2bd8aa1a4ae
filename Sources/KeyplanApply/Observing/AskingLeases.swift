internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts

extension Observer {
  /// Asks the providers of leased keys whether the keys in use still exist: somebody may have revoked one. Leases that have expired are
  /// not asked about.
  func askLeases(
    _ manifest: Manifest, _ recorded: Recorded, only selection: Selection?, within limits: ObservationLimits
  ) async -> [Identifier<Key>: LeaseFinding] {
    var leased: [Identifier<Key>: IssuedKey] = [:]
    for (id, key) in manifest.keys {
      guard key.minting?.holder == id, let record = recorded.keys[id], record.revocation == nil,
        let issued = record.issuedKey, let end = issued.expires, clock() < end, limits.canRenew(at: issued.place),
        selection?.contains(.key(id)) ?? true
      else { continue }
      leased[id] = issued
    }
    return await askInTurn(leased) { _, issued in
      guard limits.permits(issued.place), !limits.runsUntrusted(issued.place),
        let issuer = issuers[issued.place.type]
      else { return .unknown }
      let exists = await hearing(issued.place.brief) { try? await issuer.exists(issued.id, at: issued.place) }
      return exists.map { $0 ? .valid : .ended } ?? .unknown
    }
  }
}
