internal import KeyplanApply
internal import KeyplanCore
internal import KeyplanDocuments
internal import KeyplanSecrets
internal import KeyplanStore

/// The names in a dotenv file whose values other programs read differently.
struct MisreadValues {
  private var names: [(reader: DotenvReader, names: [String])]

  init(_ values: some Sequence<(name: String, value: SecretBox)>) {
    names = DotenvReader.allCases.map { ($0, []) }
    for (name, value) in values {
      for index in names.indices where value.withBytes({ !names[index].reader.reads($0) }) {
        names[index].names.append(name)
      }
    }
  }

  /// One warning for each reader; it names variables, never a value.
  func warnings(in file: String) -> [Warning] {
    names.filter { !$0.names.isEmpty }.map { reader, names in
      Warning(
        "Value read differently",
        "\(file) has \(names.sorted().joined(separator: ", ")), which \(reader.title) reads as another value.",
        hint: "Start the program with `keyplan run`, which needs no file.")
    }
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
