package import KeyplanModel
package import KeyplanPlanning
package import KeyplanYAML

/// Reads manifests in steps: YAML, merging of an environment's overlay, parsing, validation. The names that a manifest can use are passed
/// in, so that new providers and sources need no change here.
package struct ManifestReader: Sendable {
  let catalog: Catalog
  let secrets: SecretScanner
  let backends: Backends

  /// - Parameters:
  ///   - catalog: the providers that need no declaration.
  ///   - secretPrefixes: prefixes that identify a secret, with the minimum number of letters, digits, `_` and `-` that
  ///     must follow.
  ///   - backends: the sources and targets that the program supports.
  ///   - services: further ones, whose descriptions are made on demand.
  package init(
    catalog: Catalog, secretPrefixes: [String: Int], backends: [BackendDescription], services: Services = Services()
  ) {
    self.catalog = catalog
    secrets = SecretScanner(secretPrefixes)
    self.backends = Backends(backends, services)
  }

  init(_ other: ManifestReader, _ backends: Backends) {
    catalog = other.catalog
    secrets = other.secrets
    self.backends = backends
  }

  /// The built-in providers, whose patterns are parsed on demand.
  package struct Catalog: Sendable {
    let names: [String]
    let provider: @Sendable (String) -> Provider?
    let check: Checks

    /// Reads the declared check of a provider: an address, and optionally a description of the request.
    package typealias Checks =
      @Sendable (_ provider: String, _ address: String?, Node?) -> Result<DeclaredCheck, Services.Faults>

    package init(
      names: [String], provider: @escaping @Sendable (String) -> Provider?,
      check: @escaping Checks = { _, _, _ in .failure(Services.Faults([])) }
    ) {
      self.names = names
      self.provider = provider
      self.check = check
    }
  }

  /// Backends whose descriptions are made on demand, or are in the manifest.
  package struct Services: Sendable {
    let names: [String]
    let backend: @Sendable (String) -> BackendDescription?
    let declare: @Sendable (String, Node) -> Result<BackendDescription, Faults>

    /// The errors in a description.
    package struct Faults: Error {
      package struct Fault {
        /// A JSON Pointer into the description.
        package let path: String
        package let detail: String
        package let hint: String?

        package init(path: String, detail: String, hint: String? = nil) {
          (self.path, self.detail, self.hint) = (path, detail, hint)
        }
      }

      package let all: [Fault]

      package init(_ all: [Fault]) { self.all = all }
    }

    /// None.
    package init() {
      self.init(names: []) { _ in
        nil
      } declare: { _, _ in
        .failure(Faults([]))
      }
    }

    /// - Parameters:
    ///   - backend: the description of one of `names`.
    ///   - declare: reads a description in the manifest, for a name that is not among `names`.
    package init(
      names: [String], backend: @escaping @Sendable (String) -> BackendDescription?,
      declare: @escaping @Sendable (String, Node) -> Result<BackendDescription, Faults>
    ) {
      self.names = names
      self.backend = backend
      self.declare = declare
    }
  }

  /// Reads `base` merged with `overlay`. All problems are reported as diagnostics, in file order.
  package func read(base: Text, overlay: Text? = nil, environment: String? = nil) -> Reading {
    read(base: base, overlay: overlay, environment: environment, judging: { _, _ in [] })
  }

  /// The same, with further diagnostics about the named files from a caller with access to the file system.
  package func read(
    base: Text, overlay: Text? = nil, environment: String? = nil, judging judge: (NamedFiles, Settings) -> [Diagnostic]
  ) -> Reading {
    var notes = DiagnosticSink()
    for text in [base, overlay].compactMap({ $0 }) { notes.refuseSecrets(in: text, by: secrets) }
    let lower = LayeredNode(reading: base, secrets: secrets, &notes)
    let upper = overlay.flatMap { LayeredNode(reading: $0, secrets: secrets, &notes) }
    guard let lower, upper != nil || overlay == nil else { return notes.reading(nil, Settings()) }
    var tree = upper.map { lower.without("targets").overlaid(with: $0) } ?? lower

    let reader = declaring(tree, &notes)
    if let upper { tree = reader.withTargets(tree, of: lower, upper, &notes) }
    var parser = ManifestParser(reader: reader, notes: notes)
    let raw = parser.manifest(tree)
    var validator = ManifestValidator(reader: reader, raw: raw, environment: environment, notes: parser.notes)
    let manifest = validator.manifest()
    let settings = Settings(
      store: raw.store.address?.value, storePassword: raw.store.password, pinsSerial: raw.store.pinsSerial,
      isReplica: raw.store.isReplica, offline: raw.store.offline,
      defaultEnvironment: raw.defaultEnvironment?.value)
    for diagnostic in judge(validator.files, settings) { validator.notes.add(diagnostic) }
    return validator.notes.reading(manifest, settings)
  }
}

extension ManifestReader {
  /// A file's content, and its name as given by the user.
  package struct Text: Sendable {
    /// The name for locations.
    package let file: String
    package let bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
      self.file = file
      self.bytes = bytes
    }
  }

  /// Settings in the manifest that the program needs besides the manifest itself.
  package struct Settings: Hashable, Sendable {
    /// The store as written: a path relative to the manifest, or a `postgres://` address. Nil for the default.
    package let store: String?
    /// The reference for the password of a `postgres://` address, which needs no permission; nil if there is none.
    package let storePassword: Reference?
    /// Whether each apply writes the store's serial to `keyplan.lock`.
    package let pinsSerial: Bool
    /// Whether the address may be that of a replica that lags behind.
    package let isReplica: Bool
    /// The time for which this machine's copy of a shared store may be read while its server is unreachable; nil for no copy.
    package let offline: Interval?
    /// The environment to use if none is specified.
    package let defaultEnvironment: String?

    init(
      store: String? = nil, storePassword: Reference? = nil, pinsSerial: Bool = false, isReplica: Bool = false,
      offline: Interval? = nil, defaultEnvironment: String? = nil
    ) {
      self.store = store
      self.storePassword = storePassword
      self.pinsSerial = pinsSerial
      self.isReplica = isReplica
      self.offline = offline
      self.defaultEnvironment = defaultEnvironment
    }
  }

  /// The files that a manifest names.
  package struct NamedFiles {
    /// The files that targets write, in manifest order.
    package let targets: [TargetFile]
    /// The keys, whose sources may be files.
    package let keys: [(id: Identifier<Key>, key: Key)]
  }

  /// A file that a target writes.
  package struct TargetFile: Sendable {
    package let target: Identifier<Target>
    /// The normalized path.
    package let path: String
    /// Whether it is outside of the manifest's folder.
    package let isOutside: Bool
    /// Whether its values are encrypted, so that it can be committed.
    package let isEncrypted: Bool
    /// The names that may be written to the file.
    package let names: Set<String>
    /// The location in the manifest.
    package let place: FileLocation
  }

  /// The result of reading a manifest.
  package struct Reading: Sendable {
    /// The manifest; nil if and only if a diagnostic is an error that blocks everything.
    package let manifest: Manifest?
    package let settings: Settings
    /// All diagnostics, errors first.
    package let diagnostics: [Diagnostic]
    /// The locations that must not be shown when a line is quoted.
    let undisclosed: [FileLocation]
  }
}
