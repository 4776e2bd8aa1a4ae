import KeyplanCore
import KeyplanYAML

extension ManifestWriting {
  /// `{ command: [argv…], timeout: 10s, variables: [NAME…] }`. Every command is surface.
  mutating func command(_ tree: Tree) -> RawSource {
    guard let fields = fields(tree, .command), let written = fields["command"] else { return .unreadable }
    guard reader.schemes.values.contains(where: { $0.location == .command }) else {
      return .unsupported("commands as sources", tree.place)
    }
    let timeout = interval(fields["timeout"], "timeout")
    let variables = variables(fields["variables"])
    guard let arguments = arguments(written) else { return .unreadable }
    return .supported(
      Reference(
        scheme: "command", arguments: arguments, timeout: timeout, variables: variables,
        isLocal: reader.schemes["command"]?.isLocal ?? false,
        surface: SurfaceItem(.command, Self.spoken(arguments))))
  }

  private mutating func arguments(_ tree: Tree) -> [String]? {
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"command\"", takes: "a list: the program and its arguments, without a shell")
      return nil
    }
    guard !items.isEmpty else {
      notes.note(.invalidValue, "The command is empty: not even a program is named.", at: tree.place)
      return nil
    }
    var arguments: [String] = []
    for item in items {
      guard case .scalar(let scalar) = item.content, case .string(let text) = scalar.resolved else {
        wrongType(item, "An argument", takes: "a text")
        continue
      }
      guard !text.utf8.contains(0) else {
        notes.note(.invalidValue, "An argument holds NUL.", at: item.place)
        continue
      }
      arguments.append(text)
    }
    guard arguments.count == items.count else { return nil }
    guard arguments[0] != "" else {
      notes.note(.invalidValue, "The program's name is empty.", at: items[0].place)
      return nil
    }
    return arguments
  }

  private mutating func variables(_ tree: Tree?) -> [String] {
    guard let tree else { return [] }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"variables\"", takes: "a list of names")
      return []
    }
    return items.compactMap { variable($0, "variables") }
  }

  /// The arguments as a person reviews them, so that no two commands read the same: what is not plain is in quotes.
  static func spoken(_ arguments: [String]) -> String {
    arguments.map { argument in
      let isPlain =
        !argument.isEmpty
        && argument.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#"'"\$`"#.utf8.contains($0) }
      if isPlain { return argument }
      var quoted = "\""
      for scalar in argument.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += "\\\(scalar)"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .format:
          quoted += "\\u{\(String(scalar.value, radix: 16))}"
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }.joined(separator: " ")
  }
}
