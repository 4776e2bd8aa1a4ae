import KeyplanCore
import KeyplanYAML

/// The fields of one mapping, known to be of its shape.
struct Fields {
  fileprivate let fields: [LayeredNode.Field]
  /// Names that an unknown field is a slip of, and that have been said with it.
  fileprivate let meant: Set<String>

  var isEmpty: Bool { fields.isEmpty }

  subscript(name: String) -> LayeredNode? { fields.first { $0.name == name }?.value }

  /// Whether all of these are missing, and nothing there looks like a slip of one of them.
  func lacks(_ names: String...) -> Bool { names.allSatisfy { self[$0] == nil && !meant.contains($0) } }

  /// Where the field's name stands.
  func place(of name: String) -> FileLocation? { fields.first { $0.name == name }?.place }
}

extension ManifestParser {
  /// The fields of a mapping; unknown ones are said and left out. Nil, and said, for what is no mapping.
  mutating func fields(_ tree: LayeredNode, _ shape: Shape) -> Fields? {
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "This", takes: "the fields of \(shape.what)")
      return nil
    }
    var meant: Set<String> = []
    for field in fields where !shape.fields.contains(field.name) {
      let name = ManifestMessages.quoted(field.name, or: "of this name")
      let near = notes.nearest(to: field.name, among: shape.fields)
      if let near { meant.insert(near) }
      notes.note(
        .unknownField, "There is no field \(name) in \(shape.what).",
        hint: ManifestMessages.didYouMean(near)
          ?? "The fields of \(shape.what) are \(shape.fields.joined(separator: ", ")).",
        at: field.place)
    }
    return Fields(fields: fields, meant: meant)
  }

  mutating func required(_ name: String, of fields: Fields, in tree: LayeredNode, hint: String? = nil) -> LayeredNode? {
    if let value = fields[name] { return value }
    if fields.lacks(name) {
      notes.note(.missingField, "The field \"\(name)\" is missing.", hint: hint, at: tree.place)
    }
    return nil
  }

  /// Says what was found, never what it holds.
  mutating func wrongType(_ tree: LayeredNode, _ what: String, takes: String) {
    var hint: String?
    if case .scalar(let scalar) = tree.content, takes.hasPrefix("a text") {
      switch scalar.resolved {
      case .bool, .int, .float: hint = "Put it in quotes if it is meant as text."
      case .null, .string: break
      }
    }
    notes.note(.wrongType, "\(what) takes \(takes), not \(tree.found).", hint: hint, at: tree.place)
  }

  /// The text of an optional field. A number or boolean must be quoted to be text: it would read differently to the schema.
  mutating func text(_ tree: LayeredNode?, _ field: String) -> Located<String>? {
    guard let tree else { return nil }
    guard case .scalar(let scalar) = tree.content, case .string(let text) = scalar.resolved else {
      wrongType(tree, "\"\(field)\"", takes: "a text")
      return nil
    }
    guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      notes.note(
        .invalidValue,
        text.isEmpty ? "\"\(field)\" is empty." : "\"\(field)\" holds a line break or another control character.",
        at: tree.place)
      return nil
    }
    return Located(value: text, place: tree.place)
  }

  mutating func flag(_ tree: LayeredNode?, _ field: String) -> Bool? {
    guard let tree else { return nil }
    if case .scalar(let scalar) = tree.content, case .bool(let value) = scalar.resolved { return value }
    wrongType(tree, "\"\(field)\"", takes: "true or false")
    return nil
  }

  mutating func choice<Choice: RawRepresentable<String>>(
    _ tree: LayeredNode?, _ field: String, of choices: [Choice]
  ) -> Choice? {
    guard let text = text(tree, field) else { return nil }
    if let choice = Choice(rawValue: text.value), choices.contains(where: { $0.rawValue == text.value }) {
      return choice
    }
    invalidChoice(text, field, choices.map(\.rawValue))
    return nil
  }

  mutating func choice(_ tree: LayeredNode?, _ field: String, among words: [String]) -> Located<String>? {
    guard let text = text(tree, field) else { return nil }
    if words.contains(text.value) { return text }
    invalidChoice(text, field, words)
    return nil
  }

  private mutating func invalidChoice(_ text: Located<String>, _ field: String, _ words: [String]) {
    notes.note(
      .invalidValue, "\"\(field)\" is \(ManifestMessages.alternatives(words)).",
      hint: ManifestMessages.didYouMean(notes.nearest(to: text.value, among: words)), at: text.place)
  }

  mutating func interval(_ tree: LayeredNode?, _ field: String) -> Interval? {
    guard let tree else { return nil }
    if case .scalar(let scalar) = tree.content, let interval = Interval(scalar.text) { return interval }
    guard case .scalar = tree.content else {
      wrongType(tree, "\"\(field)\"", takes: "a duration such as 90d")
      return nil
    }
    notes.note(
      .invalidValue, "\"\(field)\" is a duration: a whole number above zero and s, m, h, d or w.",
      hint: "Ninety days are 90d.", at: tree.place)
    return nil
  }

  mutating func moment(_ tree: LayeredNode?, _ field: String) -> Moment? {
    guard let tree else { return nil }
    if case .scalar(let scalar) = tree.content, let moment = Moment(scalar.text) { return moment }
    guard case .scalar = tree.content else {
      wrongType(tree, "\"\(field)\"", takes: "a date such as 2027-03-01")
      return nil
    }
    notes.note(
      .invalidValue, "\"\(field)\" is a date such as 2027-03-01, or 2027-03-01T12:00:00Z with a time.", at: tree.place)
    return nil
  }

  mutating func variable(_ tree: LayeredNode?, _ field: String) -> Located<String>? {
    guard let text = text(tree, field) else { return nil }
    guard VariableName.isValid(text.value) else {
      notes.note(
        .invalidValue, "A variable's name is made of letters, digits and _, and begins with no digit.", at: text.place)
      return nil
    }
    guard !text.value.hasPrefix("KEYPLAN_") else {
      notes.note(.invalidValue, "Variables that begin with KEYPLAN_ are keyplan's own.", at: text.place)
      return nil
    }
    return text
  }

  /// Where `unsafeName: true` stands; nil where it does not.
  mutating func unsafeName(_ fields: Fields) -> FileLocation? {
    flag(fields["unsafeName"], "unsafeName") == true ? fields.place(of: "unsafeName") : nil
  }
}
