import KeyplanCore

/// What reading has to say so far.
struct DiagnosticSink {
  private(set) var diagnostics: [Diagnostic] = []
  private(set) var undisclosed: [FileLocation] = []
  /// What is being read, for the diagnostics' addresses.
  var subject: Address?
  private var said: Set<Fault> = []
  private var comparisons = 0
  private var work = 10_000_000
  /// Where secrets begin in the files' bytes, by file, in order.
  private var found: [String: [Position]] = [:]

  private struct Position: Comparable {
    let line: Int
    let column: Int

    static func < (left: Self, right: Self) -> Bool { (left.line, left.column) < (right.line, right.column) }
  }

  private struct Fault: Hashable {
    let code: Diagnostic.Code
    let detail: String
    let place: FileLocation?
  }

  mutating func note(_ code: Diagnostic.Code, _ detail: String, hint: String? = nil, at place: FileLocation?) {
    say(Diagnostic(code, detail, hint: hint, at: place, of: subject))
  }

  /// A fault that an alias repeats is one fault.
  mutating func say(_ diagnostic: Diagnostic) {
    if case .reported(let report, _) = diagnostic.issue {
      let fault = Fault(code: report.code, detail: report.detail, place: diagnostic.place)
      guard said.insert(fault).inserted else { return }
    }
    diagnostics.append(diagnostic)
  }

  /// Whether the next suggestion is still to be looked for.
  var suggests: Bool { comparisons < 100_000 && work > 0 }

  /// *Did you mean …?*, as long as it stays cheap: a thousand faults against ten thousand names would take a minute.
  mutating func nearest(to name: String, among names: [String]) -> String? {
    guard suggests else { return nil }
    // A handful of fields is no list that grows with the manifest.
    if names.count > 64 { comparisons += names.count }
    return Suggestion.nearest(to: name, among: names, within: &work)
  }

  /// Keeps a place out of quoted lines.
  mutating func conceal(_ place: FileLocation) { undisclosed.append(place) }

  /// A secret is said once, whoever finds it.
  mutating func refuseSecret(at place: FileLocation) {
    conceal(place)
    say(
      Diagnostic(
        .secretInManifest, "This begins like a secret. The manifest names secrets and never holds one.",
        hint: "Put it where a source can read it, name that place here (env://NAME), and have this one replaced: "
          + "what was in a file under version control is no longer secret.",
        at: place))
  }

  /// The same for a scalar whose escapes hide the secret from a look at the bytes; what that look found is not said again.
  mutating func refuseEscapedSecret(at place: FileLocation) {
    let start = Position(line: place.line, column: place.column)
    let end = Position(line: place.line, column: place.column + place.width)
    let known = found[place.file] ?? []
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle] < start { low = middle + 1 } else { high = middle }
    }
    if low == known.count || known[low] >= end { refuseSecret(at: place) }
  }

  /// Looks through all of a file, comments and names included.
  mutating func refuseSecrets(in text: ManifestReader.Text, by scanner: SecretScanner) {
    let hits = scanner.hits(in: text.bytes)
    guard !hits.isEmpty else { return }
    var ruler = FileLocationConverter(text)
    for hit in hits {
      let place = ruler.place(of: hit)
      found[text.file, default: []].append(Position(line: place.line, column: place.column))
      refuseSecret(at: place)
    }
  }

  func reading(_ manifest: Manifest?, _ settings: ManifestReader.Settings) -> ManifestReader.Reading {
    let stopped = diagnostics.contains { $0.code.severity == .error && $0.code.reach == .everything }
    return ManifestReader.Reading(
      manifest: stopped ? nil : manifest, settings: settings, diagnostics: diagnostics.sorted(),
      undisclosed: undisclosed)
  }
}
