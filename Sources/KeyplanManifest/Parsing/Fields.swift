import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

/// The fields of a mapping, all of which its shape allows.
struct Fields {
  fileprivate let fields: [LayeredNode.Field]
  /// Fields for which an unknown one was probably meant; that was reported with the unknown field.
  fileprivate let meant: Set<String>

  var isEmpty: Bool { fields.isEmpty }

  subscript(name: String) -> LayeredNode? { fields.first { $0.name == name }?.value }

  /// Whether all of these are missing, and none of them was probably misspelled.
  func lacks(_ names: String...) -> Bool { names.allSatisfy { self[$0] == nil && !meant.contains($0) } }

  func place(of name: String) -> FileLocation? { fields.first { $0.name == name }?.place }
}

extension ManifestParser {
  /// The fields of a mapping; unknown ones are reported and ignored. Nil, with a diagnostic, if it is not a mapping.
  mutating func fields(_ tree: LayeredNode, _ shape: Shape) -> Fields? {
    guard case .mapping(let fields) = tree.content else {
      if tree.isNull {
        notes.report(
          .wrongType, "This is empty; expected the fields of \(shape.what).",
          hint: "The fields of \(shape.what) are \(shape.fields.joined(separator: ", ")).", at: tree.place)
      } else {
        notes.report(.wrongType, "Expected the fields of \(shape.what), not \(tree.found).", at: tree.place)
      }
      return nil
    }
    var meant: Set<String> = []
    for field in fields where !shape.fields.contains(field.name) {
      let name = ManifestMessages.quoted(field.name, or: "This")
      let near = notes.nearest(to: field.name, among: shape.fields)
      if let near { meant.insert(near) }
      notes.report(
        .unknownField, "\(name) is not a field of \(shape.what).",
        hint: ManifestMessages.didYouMean(near)
          ?? "The fields of \(shape.what) are \(shape.fields.joined(separator: ", ")).",
        at: field.place)
    }
    return Fields(fields: fields, meant: meant)
  }

  mutating func required(_ name: String, of fields: Fields, in tree: LayeredNode, hint: String? = nil) -> LayeredNode? {
    if let value = fields[name] { return value }
    if fields.lacks(name) {
      notes.report(.missingField, "The field \"\(name)\" is missing.", hint: hint, at: tree.place)
    }
    return nil
  }

  /// Reports the kind of the value, but never its content.
  mutating func wrongType(_ tree: LayeredNode, _ what: String, mustBe expected: String) {
    var hint: String?
    if case .scalar(let scalar) = tree.content, expected.hasPrefix("a string") {
      switch scalar.resolved {
      case .bool, .int, .float: hint = "If it is meant as a string, put it in quotes."
      case .null, .string: break
      }
    } else if case .list = tree.content, expected.hasPrefix("a mapping") {
      hint = "Write each entry as NAME: { … }, without a hyphen."
    }
    notes.report(.wrongType, "\(what) must be \(expected), not \(tree.found).", hint: hint, at: tree.place)
  }

  /// The string of an optional field. Numbers and booleans must be quoted, since the schema would read them
  /// differently.
  mutating func text(_ tree: LayeredNode?, _ field: String) -> Located<String>? {
    guard let tree else { return nil }
    guard case .scalar(let scalar) = tree.content, case .string(let text) = scalar.resolved else {
      wrongType(tree, "\"\(field)\"", mustBe: "a string")
      return nil
    }
    guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      notes.report(
        .invalidValue,
        text.isEmpty ? "\"\(field)\" is empty." : "\"\(field)\" contains a line break or another control character.",
        at: tree.place)
      return nil
    }
    return Located(value: text, place: tree.place)
  }

  mutating func flag(_ tree: LayeredNode?, _ field: String) -> Bool? {
    guard let tree else { return nil }
    if case .scalar(let scalar) = tree.content, case .bool(let value) = scalar.resolved { return value }
    wrongType(tree, "\"\(field)\"", mustBe: "true or false")
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
    choice(tree, field, among: words, isKnown: words.contains)
  }

  /// - Parameter words: needed only for a word that is not known.
  mutating func choice(
    _ tree: LayeredNode?, _ field: String, among words: @autoclosure () -> [String], isKnown: (String) -> Bool
  ) -> Located<String>? {
    guard let text = text(tree, field) else { return nil }
    if isKnown(text.value) { return text }
    invalidChoice(text, field, words())
    return nil
  }

  private mutating func invalidChoice(_ text: Located<String>, _ field: String, _ words: [String]) {
    notes.report(
      .invalidValue, "\"\(field)\" must be \(ManifestMessages.alternatives(words)).",
      hint: ManifestMessages.didYouMean(notes.nearest(to: text.value, among: words)), at: text.place)
  }

  mutating func interval(_ tree: LayeredNode?, _ field: String) -> Interval? {
    guard let tree else { return nil }
    if case .scalar(let scalar) = tree.content, let interval = Interval(scalar.text) { return interval }
    guard case .scalar = tree.content else {
      wrongType(tree, "\"\(field)\"", mustBe: "a duration such as 90d")
      return nil
    }
    notes.report(
      .invalidValue, "\"\(field)\" must be a duration: a positive whole number and s, m, h, d or w.",
      hint: "For example, 90d for 90 days.", at: tree.place)
    return nil
  }

  mutating func moment(_ tree: LayeredNode?, _ field: String) -> Moment? {
    guard let tree else { return nil }
    if case .scalar(let scalar) = tree.content, let moment = Moment(scalar.text) { return moment }
    guard case .scalar = tree.content else {
      wrongType(tree, "\"\(field)\"", mustBe: "a date such as 2027-03-01")
      return nil
    }
    notes.report(
      .invalidValue, "\"\(field)\" must be a date such as 2027-03-01, or 2027-03-01T12:00:00Z with a time.",
      at: tree.place)
    return nil
  }

  mutating func variable(_ tree: LayeredNode?, _ field: String) -> Located<String>? {
    guard let text = text(tree, field) else { return nil }
    guard VariableName.isValid(text.value) else {
      notes.report(
        .invalidValue, "A variable's name consists of letters, digits and _, and does not begin with a digit.",
        at: text.place)
      return nil
    }
    guard !text.value.hasPrefix("KEYPLAN_") else {
      notes.report(.invalidValue, "Variables that begin with KEYPLAN_ belong to keyplan.", at: text.place)
      return nil
    }
    return text
  }

  /// The location of `unsafeName: true`; nil if it is not set.
  mutating func unsafeName(_ fields: Fields) -> FileLocation? {
    flag(fields["unsafeName"], "unsafeName") == true ? fields.place(of: "unsafeName") : nil
  }
}
