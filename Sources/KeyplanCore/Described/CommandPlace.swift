extension TargetGrammar {
  /// The fields in the text of a `command` target's place.
  fileprivate static let commandPlace = TargetGrammar(fields: [
    BackendField("command", .command, isRequired: true), BackendField("read", .command, isRequired: true),
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

extension Destination {
  /// The program that takes values, and the one that returns them; nil for a target of another type.
  package var commands: (write: Reference, read: Reference)? {
    guard type == "command", let values = TargetGrammar.commandPlace.values(at: location),
      let write = values["command"].flatMap(QuotedWord.words), let read = values["read"].flatMap(QuotedWord.words)
    else { return nil }
    let variables = values["variables"]?.split(separator: " ").map(String.init) ?? []
    func reference(_ arguments: [String]) -> Reference {
      Reference(scheme: "command", arguments: arguments, variables: variables, isLocal: false, surface: surface)
    }
    return (reference(write), reference(read))
  }
}

extension QuotedWord {
  /// Texts as one text; `words` returns them.
  package static func joined(_ words: [String]) -> String {
    words.map { quoted($0, reserving: ",()") }.joined(separator: " ")
  }

  /// The texts that `joined` was given; nil for a text that it does not return.
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
