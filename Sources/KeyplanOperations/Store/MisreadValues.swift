internal import KeyplanApply
internal import KeyplanDocuments
internal import KeyplanModel
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanSecrets
internal import KeyplanStore

/// The names in a dotenv file whose values other programs read differently.
struct MisreadValues {
  /// By the readers, in the order of their cases.
  private var names: [[DotenvReader]: [String]] = [:]

  init(_ values: some Sequence<(name: String, value: SecretBox)>) {
    for (name, value) in values {
      let readers = value.withBytes { DotenvReader.misreading($0) }
      if !readers.isEmpty { names[readers, default: []].append(name) }
    }
  }

  /// One warning for all names that the same programs read differently; it names variables, never a value.
  func warnings(in file: String) -> [Warning] {
    names.map { readers, names in (readers, names.sorted()) }.sorted { $0.1[0] < $1.1[0] }.map { readers, names in
      Warning(
        "Value read differently",
        "\(file) has \(names.joined(separator: ", ")), which \(Self.words(readers)) as another value.",
        hint: "Start the program with `keyplan run -- PROGRAM`, which needs no file.")
    }
  }

  /// `Node reads`, `a POSIX shell, Node and phpdotenv read`.
  private static func words(_ readers: [DotenvReader]) -> String {
    let titles = readers.map(\.title)
    guard titles.count > 1, let last = titles.last else { return (titles.first ?? "") + " reads" }
    return titles.dropLast().joined(separator: ", ") + " and " + last + " read"
  }
}

extension ApplyResult {
  /// Warns of values that were written to dotenv targets and that other programs read differently.
  func warnOfMisreadValues(_ store: SealedStore, in world: World) {
    let written = outcome.reports.compactMap { report -> (file: String, entries: [TargetWrite.Entry])? in
      guard report.result == .done, case .outside(.sync(_, let write)) = report.step.effect,
        write.destination.type == "dotenv"
      else { return nil }
      return (write.destination.location, write.entries.filter { $0.reason != .alreadyThere })
    }
    // Each value is read once, however many targets have it.
    let keys = Set(written.lazy.flatMap { $0.entries.map(\.key) }).sorted()
    guard !keys.isEmpty, let found = try? store.values(of: keys) else { return }
    let values = Dictionary(uniqueKeysWithValues: zip(keys, found))
    for (file, entries) in written {
      let misread = MisreadValues(entries.compactMap { entry in values[entry.key].map { (entry.name, $0) } })
      for warning in misread.warnings(in: file) { world.console.warn(warning) }
    }
  }
}
