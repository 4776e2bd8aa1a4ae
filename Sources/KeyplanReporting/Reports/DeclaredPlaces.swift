package import KeyplanModel

/// The locations of the declarations that a report is about.
package struct DeclaredPlaces: Sendable {
  private let manifest: Manifest
  private let targets: [Identifier<Target>: TargetRecord]
  /// The manifest, as messages name it.
  private let file: String

  /// - Parameter recorded: the targets that were written to.
  package init(_ manifest: Manifest, _ recorded: [Identifier<Target>: TargetRecord], file: String) {
    (self.manifest, targets, self.file) = (manifest, recorded, file)
  }

  /// The addresses that are checked for drift: everything declared, and everything recorded at a target.
  package var addresses: [Address] {
    let entries = targets.flatMap { id, record in record.entries.keys.map { Address.entry(id, name: $0) } }
    return manifest.keys.keys.map(Address.key) + manifest.slots.keys.map(Address.slot)
      + manifest.targets.keys.map(Address.target) + manifest.accounts.keys.map(Address.calendar) + entries
  }

  /// The declaration that an address is about; the manifest's first line for a recorded address that is no longer declared.
  package func place(of address: Address) -> FileLocation {
    let place: FileLocation? =
      switch address {
      case .key(let id): manifest.keys[id]?.place
      case .slot(let id): manifest.slots[id]?.place
      case .target(let id), .entry(let id, _): manifest.targets[id]?.place
      case .calendar(let id): manifest.accounts[id]?.place
      case .recipients, .surface, .migration, .rules, .store: nil
      }
    return place ?? FileLocation(file: file, line: 1, column: 1)
  }
}
