import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  mutating func target(_ tree: LayeredNode) -> RawTarget {
    var target = RawTarget()
    guard case .mapping(let written) = tree.content else {
      if tree.isNull {
        notes.report(.wrongType, "This is empty; expected the fields of a target.", at: tree.place)
      } else {
        notes.report(.wrongType, "Expected the fields of a target, not \(tree.found).", at: tree.place)
      }
      return target
    }
    let type = written.first { $0.name == "type" }?.value
    let backends = reader.backends
    target.type = choice(type, "type", among: backends.targetTypes) {
      backends.target($0) != nil || backends.isBroken($0)
    }
    if let type = target.type?.value, backends.isBroken(type) {
      target.isComplete = false
      return target
    }
    let backend = target.type.flatMap { reader.backends.target($0.value) }
    let grammar = backend?.target
    guard let fields = fields(tree, reader.backends.shape(ofTarget: target.type?.value)) else { return target }
    _ = required("type", of: fields, in: tree, hint: "For example, type: dotenv.")
    if let backend, backend.connection != nil { connect(&target, fields, in: tree, to: backend) }
    // Then the type is from the manifest, and the rest from its overlay.
    let isInherited = type.map { $0.place.file != tree.place.file } ?? false
    for field in grammar?.fields ?? [] { read(field, of: fields, in: tree, isInherited, into: &target) }
    if let backend, let choices = grammar?.choices, !choices.isEmpty,
      !choices.contains(where: { $0.allSatisfy { fields[$0] != nil } })
    {
      target.isComplete = false
      let sets = choices.map { $0.joined(separator: " and ") }.joined(separator: ", or ")
      notes.report(
        .missingField, "The fields that name the place are missing: \(backend.name) needs \(sets).", at: tree.place)
    }
    target.takeOver = flag(fields["takeOver"], "takeOver") ?? false
    target.unsafeName = unsafeName(fields)
    target.hook = fields["after"].flatMap { hook($0) }
    if let keys = required("keys", of: fields, in: tree) {
      target.entries = entries(keys, target.type?.value ?? "", grammar?.names ?? .text)
    }
    return target
  }

  /// Octal digits, quoted or not: YAML's own octal numbers differ from the usual notation of modes.
  private mutating func mode(_ tree: LayeredNode?) -> FileMode? {
    guard let tree else { return nil }
    guard case .scalar(let scalar) = tree.content else {
      wrongType(tree, "\"mode\"", mustBe: "a file mode such as \"0640\"")
      return nil
    }
    guard let mode = FileMode(scalar.text) else {
      notes.report(
        .invalidValue, "\"mode\" must be three octal digits for owner, group and others; no other bits can be set.",
        hint: "For example, mode: \"0640\".", at: tree.place)
      return nil
    }
    guard mode.bits & 0o002 == 0 else {
      notes.report(
        .invalidValue, "With mode \(mode) every user could replace the values.", hint: "For example, mode: \"0644\".",
        at: tree.place)
      return nil
    }
    guard mode.bits & 0o600 == 0o600 else {
      notes.report(
        .invalidValue, "With mode \(mode) keyplan could not read and write the file.",
        hint: "For example, mode: \"0600\".", at: tree.place)
      return nil
    }
    return mode
  }

  private mutating func connect(
    _ target: inout RawTarget, _ fields: Fields, in tree: LayeredNode, to backend: BackendDescription
  ) {
    guard let connection = connection(of: fields, in: tree, to: backend) else {
      target.isComplete = false
      return
    }
    target.unsupported = connection.unsupported
    if let name = fields["connection"].flatMap({ text($0, "connection") }) {
      target.connection = Identifier(name.value).flatMap { usable[$0] }
    } else if backend.isSupported {
      target.connection = ownConnection(of: backend)
    }
  }

  private mutating func read(
    _ field: BackendField, of fields: Fields, in tree: LayeredNode, _ isInherited: Bool, into target: inout RawTarget
  ) {
    let hint = isInherited ? "An overlay inherits everything of a target but its place. Name another one here." : nil
    guard let value = field.isRequired ? required(field.name, of: fields, in: tree, hint: hint) : fields[field.name]
    else {
      if field.isRequired { target.isComplete = false }
      return
    }
    switch field.kind {
    case .file: target.path = text(value, field.name)
    case .mode: target.mode = mode(value)
    case .secret, .identityToken, .method: _ = self.value(value, of: field)
    case .text, .name, .path, .label, .url, .urls, .bool, .int, .list, .choice, .command:
      guard case .value(let value)? = self.value(value, of: field) else {
        target.isComplete = false
        return
      }
      target.parts[field.name] = value.description
    }
  }

  private mutating func entries(_ tree: LayeredNode, _ type: String, _ rule: NameRule) -> [RawEntry] {
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "\"keys\"", mustBe: "a mapping from the names at the target to keys")
      return []
    }
    return fields.flatMap { field -> [RawEntry] in
      if field.name == "*" {
        let items: [LayeredNode] = if case .list(let items) = field.value.content { items } else { [field.value] }
        return items.compactMap { item -> RawEntry? in
          if case .mapping = item.content {
            return byProvider(LayeredNode.Field(name: "*", place: item.place, value: item), type, rule)
          }
          return feed(item).map { RawEntry(name: .variable, place: item.place, feed: $0) }
        }
      }
      if case .mapping = field.value.content { return byProvider(field, type, rule).map { [$0] } ?? [] }
      guard name(field.name, type, rule, at: field.place), let feed = feed(field.value) else { return [] }
      return [RawEntry(name: .fixed(rule.canonical(field.name)), place: field.place, feed: feed)]
    }
  }

  /// `{ from: active.SLOT, names: { PROVIDER: NAME } }`; the entry's own name is only a label, which can be `*`.
  private mutating func byProvider(_ field: LayeredNode.Field, _ type: String, _ rule: NameRule) -> RawEntry? {
    guard let fields = fields(field.value, .entry) else { return nil }
    let feed = required("from", of: fields, in: field.value).flatMap { self.feed($0) }
    guard let names = required("names", of: fields, in: field.value) else { return nil }
    guard case .mapping(let written) = names.content else {
      wrongType(names, "\"names\"", mustBe: "a mapping from providers to names")
      return nil
    }
    var byProvider: [String: String] = [:]
    for entry in written {
      let isKnown = reader.catalog.names.contains(entry.name) || Identifier<Provider>(entry.name) != nil
      guard isKnown, let text = text(entry.value, "names"), name(text.value, type, rule, at: text.place) else {
        continue
      }
      byProvider[entry.name] = rule.canonical(text.value)
    }
    return feed.map { RawEntry(name: .byProvider(byProvider), place: field.place, feed: $0) }
  }

  private mutating func name(_ name: String, _ type: String, _ rule: NameRule, at place: FileLocation) -> Bool {
    guard let fault = rule.fault(in: name) else { return true }
    notes.report(.invalidValue, fault.detail(type), hint: fault.hint(name, type), at: place)
    return false
  }

  private mutating func feed(_ tree: LayeredNode) -> Located<RawFeed>? {
    guard let text = text(tree, "keys") else { return nil }
    guard text.value.hasPrefix("active.") else { return Located(value: .key(text.value), place: text.place) }
    return Located(value: .slot(String(text.value.dropFirst(7))), place: text.place)
  }
}

extension NameRule.Fault {
  /// The message for an invalid name in a target of a type.
  func detail(_ type: String) -> String {
    switch self {
    case .alphabet(.variable):
      "A name at \(ManifestMessages.indefinite(type)) target must be a variable's name: letters, digits and _, "
        + "not beginning with a digit."
    case .alphabet(.text), .alphabet(.nested): "A name at a target must not contain control characters."
    case .alphabet(.pattern(let pattern)):
      "A name at \(ManifestMessages.indefinite(type)) target must match \(pattern.text)."
    case .slash:
      "A name with \"/\" must be a JSON Pointer, which begins with \"/\"; a name at the top level contains none."
    case .escape: "In a JSON Pointer, \"~\" is written ~0, and \"/\" in a name is written ~1."
    case .reserved(let prefix): "Names that begin with \(prefix) are reserved for \(type)."
    case .taken(let name): "The name \(name) is reserved for \(type)."
    case .tooLong(let limit):
      "A name at \(ManifestMessages.indefinite(type)) target can have at most \(limit) characters."
    }
  }

  /// The most likely intended spelling.
  func hint(_ name: String, _ type: String) -> String? {
    guard self == .slash else { return nil }
    guard ManifestMessages.isHarmless(name) else { return "For example, /outer/inner." }
    let nested = NestedName.separatedKeys(name).pointer
    guard type != "plist" else { return "Write \(nested)." }
    return "Write \(nested) for a nested value, or \(NestedName(parts: [name]).pointer) for one name with \"/\" in it."
  }
}
