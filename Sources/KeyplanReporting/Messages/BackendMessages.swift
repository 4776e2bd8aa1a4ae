package import KeyplanModel

extension TakesEffect {
  /// The part of a plan's text about a write; nil if it takes effect immediately.
  package var sentencePart: String? {
    switch self {
    case .now: nil
    case .restart: "takes effect after a restart"
    case .nextDeploy: "takes effect with the next deploy"
    }
  }

  /// The same in a table.
  package var word: String {
    switch self {
    case .now: "at once"
    case .restart: "after a restart"
    case .nextDeploy: "next deploy"
    }
  }
}

extension TargetNotice {
  /// For a backend's page: with the fields that it depends on.
  package var sentence: String {
    let when = occasion == .create ? "When a name is created" : "When a name is removed"
    let with = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    return (fields.isEmpty ? when : "\(when) with \(with)") + ": \(words)."
  }
}

extension TargetGrammar.ReadBack {
  /// The visibility of written values, in a word.
  package var word: String {
    switch self {
    case .values: "values"
    case .marks: "marks"
    case .presence: "presence"
    }
  }

  /// The consequence of that visibility.
  package var sentence: String {
    switch self {
    case .values: "Values can be read back, so drift is found by comparing them."
    case .marks: "Values cannot be read back. A mark that changes with each write shows that a value was changed."
    case .presence: "Values cannot be read back. Only a missing name is found; a changed value is not."
    }
  }
}

extension BackendField {
  /// The type of its value, in a few words.
  package var form: String {
    switch kind {
    case .text: "text"
    case .name: "name"
    case .path: "path"
    case .label: "label"
    case .url: "https:// address"
    case .urls: "list of https:// addresses"
    case .bool: "true or false"
    case .int(let bounds): "number, \(bounds.lowerBound) to \(bounds.upperBound)"
    case .list: "list"
    case .choice(let words): words.joined(separator: ", ")
    case .secret: "reference"
    case .identityToken: "reference, or { github: AUDIENCE }"
    case .method(let methods): methods.map(\.name).joined(separator: ", ")
    case .file: "file"
    case .mode: "file mode"
    case .command: "program and arguments"
    }
  }

  /// Whether it is required, otherwise its default.
  package var presence: String {
    if isRequired { return "required" }
    let sources = variables.map { "$\($0)" } + [defaultText].compactMap(\.self)
    return sources.isEmpty ? "optional" : "default: \(sources.joined(separator: ", then "))"
  }

  /// The name of its kind in JSON.
  package var kindName: String {
    switch kind {
    case .text: "text"
    case .name: "name"
    case .path: "path"
    case .label: "label"
    case .url: "url"
    case .urls: "urls"
    case .bool: "bool"
    case .int: "int"
    case .list: "list"
    case .choice: "choice"
    case .secret: "secret"
    case .identityToken: "identityToken"
    case .method: "method"
    case .file: "file"
    case .mode: "mode"
    case .command: "command"
    }
  }
}

extension NameRule {
  /// The permitted names at a place.
  package var sentence: String {
    var parts: [String] =
      switch alphabet {
      case .text: ["any text without control characters"]
      case .nested: ["a JSON Pointer (RFC 6901), or a name at the top level, which contains no /"]
      case .variable: ["names of variables: letters, digits and _, not beginning with a digit"]
      case .pattern(let pattern): ["names that match \(pattern.text)"]
      }
    if let longest { parts.append("at most \(longest) characters") }
    if !reserved.isEmpty { parts.append("not beginning with \(reserved.joined(separator: " or "))") }
    if !taken.isEmpty { parts.append("not \(taken.joined(separator: " or "))") }
    if foldsCase { parts.append("upper and lower case are the same") }
    return parts.joined(separator: "; ")
  }
}

extension TargetGrammar.Limits {
  /// The limits; nil for none.
  package var sentence: String? {
    let parts = [
      valueBytes.map { "\($0) bytes for a value" }, names.map { Spans.count($0, "name") + " for a target" },
    ]
    let known = parts.compactMap(\.self)
    return known.isEmpty ? nil : "at most " + known.joined(separator: ", ")
  }
}
