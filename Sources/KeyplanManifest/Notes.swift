import KeyplanCore

/// What reading has to say so far.
struct Notes {
  private(set) var diagnostics: Set<Diagnostic> = []
  private(set) var undisclosed: [Place] = []
  /// What is being read, for the diagnostics' addresses.
  var subject: Address?

  mutating func note(_ code: Diagnostic.Code, _ detail: String, hint: String? = nil, at place: Place?) {
    diagnostics.insert(Diagnostic(code, detail, hint: hint, at: place, of: subject))
  }

  /// Keeps a place out of quoted lines.
  mutating func conceal(_ place: Place) { undisclosed.append(place) }

  /// A secret is said once, whoever finds it.
  mutating func refuseSecret(at place: Place) {
    conceal(place)
    diagnostics.insert(
      Diagnostic(
        .secretInManifest, "What stands here begins like a secret. The manifest names secrets and never holds one.",
        hint: "Put it where a source can read it, name that place here (env://NAME), and have this one replaced: "
          + "what was in a file under version control is no longer secret.",
        at: place))
  }

  /// The same for a scalar whose escapes hide the secret from a look at the bytes; what that look found is not said again.
  mutating func refuseEscapedSecret(at place: Place) {
    let inside = place.column..<place.column + place.width
    let known = undisclosed.contains { $0.file == place.file && $0.line == place.line && inside.contains($0.column) }
    if !known { refuseSecret(at: place) }
  }

  /// Looks through all of a file, comments and names included.
  mutating func refuseSecrets(in text: ManifestReader.Text, by scanner: SecretScanner) {
    let hits = scanner.hits(in: text.bytes)
    guard !hits.isEmpty else { return }
    var ruler = Ruler(text)
    for hit in hits { refuseSecret(at: ruler.place(of: hit)) }
  }

  func reading(_ manifest: Manifest?, _ settings: ManifestReader.Settings) -> ManifestReader.Reading {
    let stopped = diagnostics.contains { $0.code.severity == .error && $0.code.reach == .everything }
    return ManifestReader.Reading(
      manifest: stopped ? nil : manifest, settings: settings, diagnostics: diagnostics.sorted(),
      undisclosed: undisclosed)
  }
}
