import KeyplanDocuments
import KeyplanLocal
import KeyplanModel
import KeyplanPlanning
import KeyplanProviders
import KeyplanRemote
import KeyplanServices

@testable import KeyplanManifest

extension FuzzEntry {
  static let manifests = [
    FuzzEntry(name: "manifest", check: read),
    FuzzEntry(name: "reference", longest: 256, check: refer),
    FuzzEntry(name: "description", check: describe),
  ]

  /// The reader as the program makes it.
  private static let reader = ManifestReader(
    catalog: .init(names: ProviderCatalog.builtIn.names) { ProviderCatalog.builtIn.provider(named: $0) },
    secretPrefixes: SecretPrefixes.builtIn, backends: LocalBackends.descriptions,
    services: .init(names: RemoteBackends.names) {
      RemoteBackends.description($0)
    } declare: { name, node in
      do throws(DescriptionFaults) {
        return .success(try ServiceRegistry().declare(name, node))
      } catch {
        return .failure(.init(error.all.map { .init(path: $0.path, detail: $0.detail, hint: $0.hint) }))
      }
    })

  /// A manifest; behind a byte 0xFF, which no manifest has, an overlay.
  private static func read(_ input: [UInt8]) throws(Violation) {
    let parts = input.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    let base = ManifestReader.Text(file: "keyplan.yaml", bytes: parts[0])
    let overlay = parts.count == 2 ? ManifestReader.Text(file: "keyplan.staging.yaml", bytes: parts[1]) : nil
    let reading = reader.read(base: base, overlay: overlay, environment: overlay == nil ? nil : "staging")
    for diagnostic in reading.diagnostics {
      guard let place = diagnostic.place else { continue }
      let text = place.file == base.file ? base.bytes : overlay?.bytes ?? []
      try require(line: place.line, column: place.column, inside: text)
      try require(place.width >= 1, "a caret of width \(place.width)")
    }
    let stops = reading.diagnostics.contains { $0.code.severity == .error && $0.code.reach == .everything }
    try require((reading.manifest == nil) == stops, "a manifest with an error that blocks everything, or neither")
    guard overlay == nil, reading.manifest != nil else { return }
    try keepsMeaning(of: base, reading)
  }

  /// The steps of `keyplan fmt`: a manifest that is put into its order means what it meant.
  private static func keepsMeaning(of base: ManifestReader.Text, _ before: ManifestReader.Reading) throws(Violation) {
    guard var text = try? YAMLText(base.bytes) else { throw Violation("a manifest that cannot be edited") }
    do throws(DocumentError) {
      try text.rewrite { reader.canonicalReference($0.text, at: $0.path) }
      text.indent()
      try text.tidy()
      try text.order { reader.canonicalOrder(at: $0) }
    } catch { return }
    let after = reader.read(base: ManifestReader.Text(file: base.file, bytes: text.bytes))
    func codes(_ reading: ManifestReader.Reading) -> [String] { reading.diagnostics.map { "\($0.code)" }.sorted() }
    try require(
      codes(after) == codes(before), "formatted, the manifest has other diagnostics: \(codes(before)) \(codes(after))")
    guard let here = before.manifest, let there = after.manifest else {
      return try require(after.manifest != nil, "formatted, the manifest is refused")
    }
    try require(Set(here.keys.keys) == Set(there.keys.keys), "formatted, the manifest has other keys")
    try require(after.settings == before.settings, "formatted, the manifest has other settings")
  }

  /// A reference that is accepted is the same when it is read from its own text.
  private static func refer(_ input: [UInt8]) throws(Violation) {
    guard let text = String(validating: input, as: UTF8.self) else { return }
    func read(_ text: String) -> RawSource {
      var parser = ManifestParser(reader: reader, notes: DiagnosticSink())
      return parser.reference(Located(value: text, place: FileLocation(file: "keyplan.yaml", line: 1, column: 1)))
    }
    guard case .supported(let reference) = read(text) else { return }
    if let canonical = reader.canonicalReference(text, at: ["keys", "a", "source"]) {
      guard case .supported(let again) = read(canonical), again == reference else {
        throw Violation("\(canonical.debugDescription) is not \(text.debugDescription)")
      }
      try require(
        reader.canonicalReference(canonical, at: ["keys", "a", "source"]) == nil,
        "\(canonical.debugDescription) is not canonical")
    }
  }

  /// The description of a service in a manifest.
  private static func describe(_ input: [UInt8]) throws(Violation) {
    do throws(DescriptionFaults) {
      let api = try SecretAPI.read(input, name: "fuzzed")
      _ = BackendDescription(api, digest: "d")
    } catch {
      try require(!error.all.isEmpty, "refused without a reason")
      for fault in error.all { try require(line: fault.line, column: fault.column, inside: input) }
    }
  }
}
