import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  /// `{ command: [argv…], timeout: 10s, variables: [NAME…] }`. Every command needs permission.
  mutating func command(_ tree: LayeredNode) -> RawSource {
    guard let fields = fields(tree, .command), let written = fields["command"] else { return .unreadable }
    guard let grammar = reader.backends.source("command")?.reference, grammar.location == .command else {
      return .unsupported("commands as sources", tree.place)
    }
    return program(written, fields, .command, isLocal: grammar.isLocal).map(RawSource.supported) ?? .unreadable
  }

  /// The command that runs after a write to a target: the fields of a command.
  mutating func hook(_ tree: LayeredNode) -> Reference? {
    guard let fields = fields(tree, .hook), let written = required("command", of: fields, in: tree) else { return nil }
    return program(written, fields, .hook, isLocal: true)
  }

  private mutating func program(
    _ written: LayeredNode, _ fields: Fields, _ kind: ExternalAccess.Kind, isLocal: Bool
  ) -> Reference? {
    let timeout = interval(fields["timeout"], "timeout")
    let variables = variables(fields["variables"])
    let directory = directory(fields["directory"])
    let data = texts(fields["data"], "data")
    guard let arguments = arguments(written) else { return nil }
    return Reference(
      scheme: "command", arguments: arguments, timeout: timeout, variables: variables, directory: directory,
      data: data, isLocal: isLocal, surface: ExternalAccess(kind, Self.quoted(arguments)))
  }

  mutating func arguments(_ tree: LayeredNode, _ field: String = "command") -> [String]? {
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"\(field)\"", mustBe: "a list of the program and its arguments, without a shell")
      return nil
    }
    guard !items.isEmpty else {
      notes.report(.invalidValue, "The command is empty; it needs at least a program.", at: tree.place)
      return nil
    }
    var arguments: [String] = []
    for item in items {
      guard case .scalar(let scalar) = item.content, case .string(let text) = scalar.resolved else {
        wrongType(item, "An argument", mustBe: "a string")
        continue
      }
      guard !text.utf8.contains(0) else {
        notes.report(.invalidValue, "An argument contains a NUL character.", at: item.place)
        continue
      }
      arguments.append(text)
    }
    guard arguments.count == items.count else { return nil }
    guard arguments[0] != "" else {
      notes.report(.invalidValue, "The program's name is empty.", at: items[0].place)
      return nil
    }
    return arguments
  }

  /// The working directory: `.`, or a path like that of a file.
  private mutating func directory(_ tree: LayeredNode?) -> String? {
    guard let tree, let written = text(tree, "directory") else { return nil }
    if written.value == "." { return written.value }
    guard let path = RelativePath(written.value) else {
      notes.report(.invalidValue, "\"directory\" must be the path of a directory.", at: tree.place)
      return nil
    }
    return path.text
  }

  private mutating func texts(_ tree: LayeredNode?, _ name: String) -> [String] {
    guard let tree else { return [] }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"\(name)\"", mustBe: "a list of the command's arguments")
      return []
    }
    return items.compactMap { text($0, name)?.value }
  }

  private mutating func variables(_ tree: LayeredNode?) -> [String] {
    guard let tree else { return [] }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"variables\"", mustBe: "a list of names")
      return []
    }
    return items.compactMap { variable($0, "variables")?.value }
  }

  /// The arguments as displayed for review. Special characters are quoted, so that no two commands look the same.
  static func quoted(_ arguments: [String]) -> String {
    arguments.map { QuotedWord.quoted($0) }.joined(separator: " ")
  }
}
