extension TargetGrammar {
  /// The fields in the text of a `command` target's place.
  fileprivate static let commandPlace = TargetGrammar(fields: [
    BackendField("command", .command, isRequired: true), BackendField("read", .command),
    BackendField("variables", .list),
  ])
}

extension BackendDescription {
  /// The permission that a target at this place requires; nil if that follows from its path or connection.
  package func access(at location: String) -> ExternalAccess? {
    guard let target else { return nil }
    if target.fields.contains(where: { $0.kind == .command }) { return ExternalAccess(.command, location) }
    return target.isOutside ? ExternalAccess(.path, "\(name)://\(location)") : nil
  }
}

/// The programs of a `command` target.
package struct CommandPair: Hashable, Sendable {
  /// The command that writes values.
  package let write: Reference
  /// The command that reads the target; nil if it is write-only.
  package let read: Reference?

  package var all: [Reference] { [write] + (read.map { [$0] } ?? []) }
}

extension Destination {
  /// The programs of a place; nil for a target of another type.
  package var commands: CommandPair? {
    guard type == "command", let values = TargetGrammar.commandPlace.values(at: location),
      let write = values["command"].flatMap(QuotedWord.words)
    else { return nil }
    let read = values["read"].map(QuotedWord.words)
    // A program that is not in a readable form is not the same as none.
    if case .some(nil) = read { return nil }
    let variables = values["variables"]?.split(separator: " ").map(String.init) ?? []
    func reference(_ arguments: [String]) -> Reference {
      Reference(scheme: "command", arguments: arguments, variables: variables, isLocal: false, surface: surface)
    }
    return CommandPair(write: reference(write), read: read.flatMap(\.self).map(reference))
  }

  /// Whether the target is write-only. Without a record, the owner of its contents is unknown.
  package var isNeverRead: Bool { commands.map { $0.read == nil } ?? false }
}

extension QuotedWord {
  /// Texts as one text; `words` returns them.
  package static func joined(_ words: [String]) -> String {
    words.map { quoted($0, reserving: ",()") }.joined(separator: " ")
  }

  /// The texts that were passed to `joined`; nil for a text that it does not return.
  static func words(_ text: String) -> [String]? {
    var rest = text.unicodeScalars[...]
    var words: [String] = []
    while true {
      guard let word = read(&rest) else { return nil }
      words.append(word)
      if rest.isEmpty { return words }
      guard rest.popFirst() == " " else { return nil }
    }
  }
}
