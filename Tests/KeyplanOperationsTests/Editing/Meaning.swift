import KeyplanLocal
import KeyplanManifest
import KeyplanModel
import KeyplanProviders

@testable import KeyplanOperations

/// A reader that knows what the program knows.
let reader = ManifestReader(
  catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
  secretPrefixes: SecretPrefixes.builtIn,
  backends: LocalBackends.descriptions)

/// What a manifest means, without the places where it says so.
struct Meaning: Equatable {
  var facts: [String: KeyFacts]
  var sources: [String: [Reference]]
  var follow: [String: Key.Follow]
  var slots: [String: [String]]
  var destinations: [String: Destination]
  var entries: [String: Set<Entry>]
  var takeOver: [String: Bool]
  /// Renamings, in any order: they are carried out by their names.
  var moves: Set<[String]>
  var rules: Set<About>
  var recipients: [Identifier<Recipient>: Recipient]?
  var unsupported: [String]
  var settings: ManifestReader.Settings

  struct Entry: Hashable {
    let name: Target.Entry.Name
    var key: String?
    var slot: String?

    init(_ entry: Target.Entry) {
      name = entry.name
      switch entry.feed {
      case .key(let id): key = id.name
      case .slot(let id): slot = id.name
      }
    }
  }

  struct About: Hashable {
    let rule: String
    let demand: Rule.Demand
    var keys: Set<String>?
  }

  init?(_ reading: ManifestReader.Reading) {
    guard let manifest = reading.manifest else { return nil }
    func named<Thing, Value>(_ things: [Identifier<Thing>: Value]) -> [String: Value] {
      Dictionary(uniqueKeysWithValues: things.map { ($0.key.name, $0.value) })
    }
    facts = named(manifest.keys).mapValues(\.facts)
    sources = named(manifest.keys).mapValues(\.sources)
    follow = named(manifest.keys).mapValues(\.follow)
    slots = named(manifest.slots).mapValues { $0.candidates.map(\.name) }
    destinations = named(manifest.targets).mapValues(\.destination)
    entries = named(manifest.targets).mapValues { Set($0.entries.map(Entry.init)) }
    takeOver = named(manifest.targets).mapValues(\.takeOver)
    moves = Set(
      manifest.migrations.map { migration in
        switch migration.origin {
        case .key(let old): [old.name, migration.key?.name ?? "-"]
        case .place(let reference, let isRemoved): [reference.description, "\(isRemoved)", migration.key?.name ?? "-"]
        }
      })
    rules = Set(
      manifest.rules.map { rule in
        About(rule: rule.name.name, demand: rule.demand, keys: rule.keys.map { Set($0.map(\.name)) })
      })
    recipients = manifest.recipients
    unsupported = manifest.unsupported.map { "\($0.address) \($0.what)" }.sorted()
    settings = reading.settings
  }

  init?(_ text: [UInt8], overlay: [UInt8]? = nil) {
    self.init(
      reader.read(
        base: .init(file: "keyplan.yaml", bytes: text),
        overlay: overlay.map { .init(file: "keyplan.staging.yaml", bytes: $0) },
        environment: overlay == nil ? nil : "staging"))
  }
}
