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
    for report in outcome.reports where report.result == .done {
      guard case .outside(.sync(_, let write)) = report.step.effect, write.destination.type == "dotenv",
        case let entries = write.entries.filter({ $0.reason != .alreadyThere }), !entries.isEmpty,
        let values = try? store.values(of: entries.map(\.key))
      else { continue }
      let misread = MisreadValues(zip(entries.map(\.name), values).map { (name: $0, value: $1) })
      for warning in misread.warnings(in: write.destination.location) { world.console.warn(warning) }
    }
  }
}
