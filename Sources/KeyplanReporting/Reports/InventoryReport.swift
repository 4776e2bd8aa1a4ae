package import KeyplanModel
package import KeyplanPlanning

/// The data of `report` and `metrics` about a project: findings, expirations, and where each key is used. No values.
package struct InventoryReport: Sendable {
  package let drift: DriftReport
  package let keys: KeyListing
  /// The targets, by name.
  package let targets: [TargetRow]
  package let accounts: [AccountStatus]
  /// The last plans that were applied, also those that were not completed, the latest first.
  package let runs: [AppliedPlan]
  package let manifest: String
  package let now: Moment

  /// A target, and which key's value is written under which name.
  package struct TargetRow: Sendable {
    package let name: Identifier<Target>
    package let destination: Destination
    package let isDeclared: Bool
    /// By name; empty before the first write.
    package let entries: [(name: String, entry: TargetRecord.Entry)]
  }

  /// One thing that ends by itself.
  package struct Expiration: Sendable {
    package let address: Address
    package let at: Moment
    package let isNear: Bool
    /// Whether it is the day by which a value is to be replaced that a removed recipient knows.
    package var isExposure = false
  }

  /// The number of runs that are shown.
  package static let runLimit = 10

  package init(
    _ drift: DriftReport, _ manifest: Manifest, _ recorded: Recorded, accounts: [AccountStatus], file: String,
    at now: Moment
  ) {
    (self.drift, self.accounts, self.now) = (drift, accounts, now)
    self.manifest = file
    keys = KeyListing(manifest, recorded, at: now)
    targets = Set(manifest.targets.keys).union(recorded.targets.keys).sorted().compactMap { name in
      let record = recorded.targets[name]
      guard let destination = record?.destination ?? manifest.targets[name]?.destination else { return nil }
      let entries = (record?.entries ?? [:]).sorted { $0.key < $1.key }.map { (name: $0.key, entry: $0.value) }
      return TargetRow(
        name: name, destination: destination, isDeclared: manifest.targets[name] != nil, entries: entries)
    }
    runs = recorded.applied.suffix(Self.runLimit).reversed()
  }

  /// Everything that expires, the earliest first: keys that are in use, sign-ins, and the time left for exposed values.
  package var expirations: [Expiration] {
    let keys = keys.rows.compactMap { row -> Expiration? in
      guard !row.isOut, let expiry = row.expiry else { return nil }
      switch expiry {
      case .fresh(let end): return Expiration(address: .key(row.name), at: end, isNear: false)
      case .soon(let end), .over(let end): return Expiration(address: .key(row.name), at: end, isNear: true)
      }
    }
    let accounts = accounts.compactMap { status in
      status.forecast.map {
        Expiration(address: .calendar(status.id), at: $0.end, isNear: now >= $0.warnsFrom)
      }
    }
    let exposures = drift.findings.compactMap { finding -> Expiration? in
      guard case .valueExposed(let value) = finding.fact else { return nil }
      return Expiration(address: finding.address, at: value.end, isNear: true, isExposure: true)
    }
    return (keys + accounts + exposures).sorted { ($0.at, $0.address) < ($1.at, $1.address) }
  }

  /// The targets that have a key's value.
  package var targetsOfKeys: [Identifier<Key>: [Identifier<Target>]] {
    targets.reduce(into: [:]) { all, target in
      for key in Set(target.entries.map(\.entry.key)) { all[key, default: []].append(target.name) }
    }
  }
}
