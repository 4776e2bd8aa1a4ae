import KeyplanCore
import KeyplanYAML

extension ManifestWriting {
  mutating func target(_ tree: Tree) -> RawTarget {
    var target = RawTarget()
    guard case .mapping(let written) = tree.content else {
      wrongType(tree, "This", takes: "the fields of a target")
      return target
    }
    let types = Set(Shape.fileTargets).union(Shape.remoteTargets.keys).union(reader.targetTypes).sorted()
    let type = written.first { $0.name == "type" }?.value
    target.type = choice(type, "type", among: types)
    guard let fields = fields(tree, .target(target.type?.value ?? "")) else { return target }
    _ = required("type", of: fields, in: tree, hint: "type: dotenv, for example.")
    if let type = target.type?.value, let own = Shape.remoteTargets[type] {
      remote(fields, own)
    } else if target.type != nil, let path = required("path", of: fields, in: tree) {
      target.path = text(path, "path")
    }
    target.takeOver = flag(fields["takeOver"], "takeOver") ?? false
    target.unsafeName = unsafeName(fields)
    target.mode = mode(fields["mode"])
    if let keys = required("keys", of: fields, in: tree) {
      target.entries = entries(keys, areVariables: target.type?.value == "dotenv")
    }
    return target
  }

  /// Octal digits, in quotes or without: YAML's own octal numbers are written otherwise than everybody writes modes.
  private mutating func mode(_ tree: Tree?) -> FileMode? {
    guard let tree else { return nil }
    guard case .scalar(let scalar) = tree.content else {
      wrongType(tree, "\"mode\"", takes: "a file mode such as \"0640\"")
      return nil
    }
    guard let mode = FileMode(scalar.text) else {
      notes.note(
        .invalidValue, "\"mode\" is three octal digits, for owner, group and others; no other bits can be set.",
        hint: "Such as mode: \"0640\".", at: tree.place)
      return nil
    }
    guard mode.bits & 0o002 == 0 else {
      notes.note(
        .invalidValue, "With mode \(mode) everybody could replace the values.", hint: "Such as mode: \"0644\".",
        at: tree.place)
      return nil
    }
    guard mode.bits & 0o600 == 0o600 else {
      notes.note(
        .invalidValue, "With mode \(mode) keyplan itself could not read and write the file.",
        hint: "Such as mode: \"0600\".", at: tree.place)
      return nil
    }
    return mode
  }

  private mutating func remote(_ fields: Fields, _ own: [String]) {
    for name in own {
      if name == "privateKey" { referenceField(fields[name]) } else { _ = text(fields[name], name) }
    }
  }

  private mutating func entries(_ tree: Tree, areVariables: Bool) -> [RawEntry] {
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "\"keys\"", takes: "a mapping from the names at the target to keys")
      return []
    }
    return fields.flatMap { field -> [RawEntry] in
      if field.name == "*" {
        let items: [Tree] = if case .list(let items) = field.value.content { items } else { [field.value] }
        return items.compactMap { item in
          feed(item).map { RawEntry(name: .variable, place: item.place, feed: $0) }
        }
      }
      if case .mapping = field.value.content { return byProvider(field, areVariables).map { [$0] } ?? [] }
      guard name(field.name, areVariables, at: field.place), let feed = feed(field.value) else { return [] }
      return [RawEntry(name: .fixed(field.name), place: field.place, feed: feed)]
    }
  }

  /// `{ from: active.SLOT, names: { PROVIDER: NAME } }`; the entry's own name is for people.
  private mutating func byProvider(_ field: Tree.Field, _ areVariables: Bool) -> RawEntry? {
    guard let fields = fields(field.value, .entry) else { return nil }
    let feed = required("from", of: fields, in: field.value).flatMap { self.feed($0) }
    guard let names = required("names", of: fields, in: field.value) else { return nil }
    guard case .mapping(let written) = names.content else {
      wrongType(names, "\"names\"", takes: "a mapping from providers to names")
      return nil
    }
    var byProvider: [String: String] = [:]
    for entry in written {
      let isKnown = reader.catalog.names.contains(entry.name) || Identifier<Provider>(entry.name) != nil
      guard isKnown, let text = text(entry.value, "names"), name(text.value, areVariables, at: text.place) else {
        continue
      }
      byProvider[entry.name] = text.value
    }
    return feed.map { RawEntry(name: .byProvider(byProvider), place: field.place, feed: $0) }
  }

  private mutating func name(_ name: String, _ isVariable: Bool, at place: Place) -> Bool {
    let isGood =
      isVariable ? VariableName.isValid(name) : !name.isEmpty && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    if !isGood {
      notes.note(
        .invalidValue,
        isVariable
          ? "A name in a dotenv file is a variable's: letters, digits and _, and no digit first."
          : "A name at a target is a text without control characters.", at: place)
    }
    return isGood
  }

  private mutating func feed(_ tree: Tree) -> Written<RawFeed>? {
    guard let text = text(tree, "keys") else { return nil }
    guard text.value.hasPrefix("active.") else { return Written(value: .key(text.value), place: text.place) }
    return Written(value: .slot(String(text.value.dropFirst(7))), place: text.place)
  }
}
