package import KeyplanCore

/// Reads manifests: bytes to a marked tree, an environment's overlay laid over it, the tree to what is written, and that
/// to what is meant. What can be named in a manifest comes in as values, so that a new provider or source is known here
/// without a change here.
package struct ManifestReader: Sendable {
  let catalog: Catalog
  let secrets: SecretScanner
  let backends: Backends

  /// - Parameters:
  ///   - catalog: the providers that need no declaration.
  ///   - secretPrefixes: the beginnings by which a secret is known, with the number of letters, digits, `_` and `-` that
  ///     must follow at once.
  ///   - backends: what this version reads from and writes to.
  package init(catalog: Catalog, secretPrefixes: [String: Int], backends: [BackendDescription]) {
    self.catalog = catalog
    secrets = SecretScanner(secretPrefixes)
    self.backends = Backends(backends)
  }

  /// The providers that the program knows, without having read their patterns.
  package struct Catalog: Sendable {
    let names: [String]
    let provider: @Sendable (String) -> Provider?

    /// All names, and the way from a name to its provider.
    package init(names: [String], provider: @escaping @Sendable (String) -> Provider?) {
      self.names = names
      self.provider = provider
    }
  }

  /// Reads `base` with `overlay` laid over it. Problems become diagnostics, all of them at once, in the order of the files.
  package func read(base: Text, overlay: Text? = nil, environment: String? = nil) -> Reading {
    read(base: base, overlay: overlay, environment: environment, judging: { _, _ in [] })
  }

  /// The same, with what somebody who sees the disk has to say about the files that are named.
  package func read(
    base: Text, overlay: Text? = nil, environment: String? = nil, judging judge: (NamedFiles, Settings) -> [Diagnostic]
  ) -> Reading {
    var notes = DiagnosticSink()
    for text in [base, overlay].compactMap({ $0 }) { notes.refuseSecrets(in: text, by: secrets) }
    let lower = LayeredNode(reading: base, secrets: secrets, &notes)
    let upper = overlay.flatMap { LayeredNode(reading: $0, secrets: secrets, &notes) }
    guard let lower, upper != nil || overlay == nil else { return notes.reading(nil, Settings()) }
    let tree = upper.map { lower.without("targets").overlaid(with: $0) } ?? lower

    var writing = ManifestParser(reader: self, notes: notes)
    let raw = writing.manifest(tree)
    var meaning = ManifestValidator(reader: self, raw: raw, environment: environment, notes: writing.notes)
    let manifest = meaning.manifest()
    let settings = Settings(
      store: raw.store?.value, storePassword: raw.storePassword, defaultEnvironment: raw.defaultEnvironment?.value)
    for diagnostic in judge(meaning.files, settings) { meaning.notes.say(diagnostic) }
    return meaning.notes.reading(manifest, settings)
  }
}

extension ManifestReader {
  /// A file's name, as the person gave it, and its bytes.
  package struct Text: Sendable {
    /// The name that places show.
    package let file: String
    /// What stands in it.
    package let bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
      self.file = file
      self.bytes = bytes
    }
  }

  /// What the program needs of a manifest beside the manifest itself.
  package struct Settings: Hashable, Sendable {
    /// Where the store is, as written: a path relative to the manifest, or a `postgres://` address. Nil for the default.
    package let store: String?
    /// Where the password of a `postgres://` address is found, without leave for anything; nil where none is named.
    package let storePassword: Reference?
    /// The environment to take where none was chosen.
    package let defaultEnvironment: String?

    init(store: String? = nil, storePassword: Reference? = nil, defaultEnvironment: String? = nil) {
      self.store = store
      self.storePassword = storePassword
      self.defaultEnvironment = defaultEnvironment
    }
  }

  /// The files that a manifest names.
  package struct NamedFiles {
    /// Those that targets write, in the order of the manifest.
    package let targets: [TargetFile]
    /// The keys that may be read from files.
    package let keys: [(id: Identifier<Key>, key: Key)]
  }

  /// A file that a target writes.
  package struct TargetFile: Sendable {
    package let target: Identifier<Target>
    /// As written, normalised.
    package let path: String
    /// Whether it is outside of the manifest's folder.
    package let isOutside: Bool
    /// The names that may be written there.
    package let names: Set<String>
    /// Where the manifest names the file.
    package let place: FileLocation
  }

  /// What reading gave.
  package struct Reading: Sendable {
    /// The manifest; nil when, and only when, a diagnostic is an error that stops everything.
    package let manifest: Manifest?
    /// What else the manifest says.
    package let settings: Settings
    /// Everything there is to say, errors first.
    package let diagnostics: [Diagnostic]
    /// Where something stands that must not be shown when a line is quoted.
    let undisclosed: [FileLocation]
  }
}
