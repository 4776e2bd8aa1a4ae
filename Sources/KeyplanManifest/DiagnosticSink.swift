import KeyplanModel
import KeyplanPlanning

/// Collects diagnostics while a manifest is read.
struct DiagnosticSink {
  private(set) var diagnostics: [Diagnostic] = []
  private(set) var undisclosed: [FileLocation] = []
  /// The subject that is being read, for the diagnostics' addresses.
  var subject: Address?
  private var reported: Set<Fault> = []
  private var comparisons = 0
  private var work = 10_000_000
  /// The positions of secrets in the files, by file, sorted.
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

  mutating func report(_ code: Diagnostic.Code, _ detail: String, hint: String? = nil, at place: FileLocation?) {
    add(Diagnostic(code, detail, hint: hint, at: place, of: subject))
  }

  /// Ignores repetitions, as caused by an alias.
  mutating func add(_ diagnostic: Diagnostic) {
    if case .reported(let report, _) = diagnostic.issue {
      let fault = Fault(code: report.code, detail: report.detail, place: diagnostic.place)
      guard reported.insert(fault).inserted else { return }
    }
    diagnostics.append(diagnostic)
  }

  /// Whether the budget for suggestions is not used up.
  var suggests: Bool { comparisons < 100_000 && work > 0 }

  /// The name for *Did you mean …?*, as long as that is cheap: a thousand errors with ten thousand names would take a
  /// minute.
  mutating func nearest(to name: String, among names: [String]) -> String? {
    guard suggests else { return nil }
    // A short list of fields does not count, since it does not grow with the manifest.
    if names.count > 64 { comparisons += names.count }
    return Suggestion.nearest(to: name, among: names, within: &work)
  }

  /// Reports an error in a description of requests, without a word of the manifest that could be a value.
  mutating func report(_ fault: ManifestReader.Services.Faults.Fault, in name: String, at place: FileLocation) {
    let words = fault.detail.split { " \"{}".contains($0) } + fault.path.split(separator: "/").map { $0[...] }
    let isHarmless = words.allSatisfy { ManifestMessages.isHarmless($0) }
    if !isHarmless { conceal(place) }
    report(
      .invalidValue, "\"\(name)\": \(isHarmless ? fault.detail : "This is not valid here.")", hint: fault.hint,
      at: place)
  }

  /// Excludes a location from quoted lines.
  mutating func conceal(_ place: FileLocation) { undisclosed.append(place) }

  /// Reports a secret and hides it. A second report of the same location is ignored.
  mutating func refuseSecret(at place: FileLocation) {
    conceal(place)
    add(
      Diagnostic(
        .secretInManifest, "This looks like a secret. A manifest must not contain secrets, only references to them.",
        hint:
          "Store it where a source can read it, and refer to it here (env://NAME). Then replace the secret: once it has "
          + "been in a file under version control, it is no longer secret.",
        at: place))
  }

  /// The same for a scalar whose escapes hide the secret in the file's bytes, unless it was found there already.
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

  /// Searches a whole file, including comments and names.
  mutating func refuseSecrets(in text: ManifestReader.Text, by scanner: SecretScanner) {
    let hits = scanner.hits(in: text.bytes)
    guard !hits.isEmpty else { return }
    var converter = FileLocationConverter(text)
    for hit in hits {
      let place = converter.place(of: hit)
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
