import KeyplanLocal
import KeyplanModel
import KeyplanPlanning
import KeyplanProviders
import KeyplanRemote
import KeyplanServices
import Testing

@testable import KeyplanManifest

/// The reader as the program makes it.
let reader = ManifestReader(
  catalog: .init(names: ProviderCatalog.builtIn.names) {
    ProviderCatalog.builtIn.provider(named: $0)
  } check: { name, address, node in
    do throws(DescriptionFaults) {
      return .success(try CheckRegistry().declare(name, at: address, node))
    } catch {
      return .failure(.init(error.all.map { .init(path: $0.path, detail: $0.detail, hint: $0.hint) }))
    }
  },
  secretPrefixes: SecretPrefixes.builtIn,
  backends: LocalBackends.descriptions,
  services: .init(names: RemoteBackends.names) {
    RemoteBackends.description($0)
  } declare: { name, node in
    do throws(DescriptionFaults) {
      return .success(try ServiceRegistry().declare(name, node))
    } catch {
      return .failure(.init(error.all.map { .init(path: $0.path, detail: $0.detail, hint: $0.hint) }))
    }
  })

/// A fault that a marker stands for.
struct Fault {
  let code: Diagnostic.Code
  let detail: String?
  let hint: String?

  init(_ code: Diagnostic.Code, _ detail: String? = nil, hint: String? = nil) {
    self.code = code
    self.detail = detail
    self.hint = hint
  }
}

func text(_ yaml: String, file: String = "keyplan.yaml") -> ManifestReader.Text {
  ManifestReader.Text(file: file, bytes: Array(yaml.utf8))
}

/// Reads a manifest in which 1️⃣ 2️⃣ … stand where the faults must be reported, in this order, and no others.
@discardableResult
func check(
  _ marked: String, overlay markedOverlay: String? = nil, _ faults: Fault...,
  sourceLocation: SourceLocation = #_sourceLocation
) -> ManifestReader.Reading {
  let base = unmarked(marked, file: "keyplan.yaml")
  let overlay = markedOverlay.map { unmarked($0, file: "keyplan.staging.yaml") }
  let reading = reader.read(
    base: text(base.yaml), overlay: overlay.map { text($0.yaml, file: "keyplan.staging.yaml") },
    environment: overlay == nil ? nil : "staging")
  let places = base.places.merging(overlay?.places ?? [:]) { first, _ in first }
  var left = reading.diagnostics
  for (number, fault) in faults.enumerated() {
    guard let place = places[number + 1] else {
      Issue.record("There is no marker \(number + 1).", sourceLocation: sourceLocation)
      continue
    }
    guard
      let index = left.firstIndex(where: {
        $0.code == fault.code && $0.place?.file == place.file && $0.place?.line == place.line
          && $0.place?.column == place.column
      })
    else {
      Issue.record("\(fault.code) at \(place) is missing in \(told(reading))", sourceLocation: sourceLocation)
      continue
    }
    let found = left.remove(at: index)
    if let detail = fault.detail {
      #expect(found.detail.contains(detail), sourceLocation: sourceLocation)
    }
    if let hint = fault.hint {
      #expect(found.hint?.contains(hint) == true, "\(found.hint ?? "no hint")", sourceLocation: sourceLocation)
    }
  }
  #expect(left.isEmpty, "more than was marked: \(told(reading))", sourceLocation: sourceLocation)
  let stops = reading.diagnostics.contains { $0.code.severity == .error && $0.code.reach == .everything }
  #expect((reading.manifest == nil) == stops, sourceLocation: sourceLocation)
  return reading
}

func told(_ reading: ManifestReader.Reading) -> String {
  reading.diagnostics.map { "\n\($0.place.map(\.description) ?? "-") \($0.code): \($0.detail) [\($0.hint ?? "")]" }
    .joined()
}

private func unmarked(_ marked: String, file: String) -> (yaml: String, places: [Int: FileLocation]) {
  var yaml = ""
  var places: [Int: FileLocation] = [:]
  var (line, column) = (1, 1)
  for character in marked {
    if let number = "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣".firstIndex(of: character) {
      let index = "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣".distance(from: "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣8️⃣9️⃣".startIndex, to: number)
      places[index + 1] = FileLocation(file: file, line: line, column: column)
      continue
    }
    yaml.append(character)
    (line, column) = character == "\n" ? (line + 1, 1) : (line, column + character.unicodeScalars.count)
  }
  return (yaml, places)
}

/// The reader's own words.
extension Diagnostic {
  var detail: String { report?.detail ?? "" }
  var hint: String? { report?.hint }
  private var report: Diagnostic.Issue.Report? { if case .reported(let report, _) = issue { report } else { nil } }
}
