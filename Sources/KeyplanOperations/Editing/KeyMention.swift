package import KeyplanDocuments
internal import KeyplanManifest
package import KeyplanModel

/// A reference to a key in a manifest's file, other than its declaration.
package struct KeyMention {
  package let path: [String]
  package let place: DocumentError.Place
  package let role: Role
  /// The dot and the name of a part, if only that is meant; else empty.
  package let part: String

  /// The role of the key at this place.
  package enum Role: Equatable {
    /// The one key of a slot.
    case choice(slot: String)
    /// One of the keys of a slot's list, with their count.
    case candidate(slot: String, of: Int)
    /// The source of a target's entry; the path is that of the entry.
    case feed(entry: [String])
    /// One of several sources of the entry `"*"`.
    case oneFeed
    /// One of the keys of a rule, with their count.
    case ruled(rule: String, of: Int)
    /// The destination of an adoption or a rename.
    case adopted, movedTo
    /// The old name in a rename.
    case movedFrom
  }
}

/// A template in a manifest's file that names a key.
package struct TemplateMention {
  /// The name of the key that is composed.
  package let key: String
  package let path: [String]
  package let place: DocumentError.Place
  package let composition: Composition
}

extension YAMLText {
  /// The templates that name the key or its parts, in the order of the text. One that cannot be read names none.
  package func templates(naming key: String) -> [TemplateMention] {
    leaves(below: ["keys"]).compactMap { leaf in
      guard leaf.path.count == 4, leaf.path[2] == "source", leaf.path[3] == "compose",
        let composition = try? Composition(leaf.text),
        composition.parts.contains(where: { $0.name == key || $0.name.hasPrefix(key + ".") })
      else { return nil }
      return TemplateMention(key: leaf.path[1], path: leaf.path, place: leaf.place, composition: composition)
    }
  }

  /// All references to the key and to its parts, in the order of the text.
  package func mentions(of key: String) -> [KeyMention] {
    // Most of a large manifest is its keys, which contain no references to keys.
    ["active", "targets", "migrations", "rules"].flatMap { leaves(below: [$0]) }
      .filter { $0.text == key || $0.text.hasPrefix(key + ".") }
      .compactMap { leaf in
        role(of: leaf.path).map {
          KeyMention(path: leaf.path, place: leaf.place, role: $0, part: String(leaf.text.dropFirst(key.count)))
        }
      }
  }

  private func role(of path: [String]) -> KeyMention.Role? {
    func count(_ path: some Sequence<String>) -> Int? {
      if case .list(let items) = form(of: Array(path)) { items.count } else { nil }
    }
    switch (path.first, path.count) {
    case ("active", 1): return .choice(slot: "default")
    case ("active", 2):
      return count(path.prefix(1)).map { .candidate(slot: "default", of: $0) } ?? .choice(slot: path[1])
    case ("active", 3):
      if let count = count(path.prefix(2)) { return .candidate(slot: path[1], of: count) }
      return path[2] == "keys" ? .choice(slot: path[1]) : nil
    case ("active", 4) where path[2] == "keys":
      return count(path.prefix(3)).map { .candidate(slot: path[1], of: $0) }
    case ("targets", 4...) where path[2] == "keys":
      if path.count == 4 || path.count == 5 && path[4] == "from" { return .feed(entry: Array(path.prefix(4))) }
      guard path.count == 5, let items = count(path.prefix(4)) else { return nil }
      return items == 1 ? .feed(entry: Array(path.prefix(4))) : .oneFeed
    case ("rules", 4) where path[2] == "keys":
      return count(path.prefix(3)).map { .ruled(rule: path[1], of: $0) }
    case ("migrations", 3):
      switch path[2] {
      case "moved": return .movedFrom
      case "to": return form(of: path.dropLast() + ["moved"]) == nil ? .adopted : .movedTo
      default: return nil
      }
    default: return nil
    }
  }

  /// The keys of a slot in this file, in order; nil if the file does not mention the slot.
  package func candidates(of slot: String) -> [String]? {
    switch slotPath(slot).flatMap({ form(of: $0) }) {
    case .text(let key): [key]
    case .list(let keys): keys.compactMap { $0 }
    case .nothing, .mapping, nil: nil
    }
  }

  /// The slots in this file; `active: NAME` is short for `default`.
  package var slots: [String] {
    switch form(of: ["active"]) {
    case .text, .list: ["default"]
    case .mapping(let names, _): names
    case .nothing, nil: []
    }
  }

  /// Whether `active` is short for one slot.
  package var hasOneSlot: Bool {
    switch form(of: ["active"]) {
    case .text, .list: true
    case .mapping, .nothing, nil: false
    }
  }

  /// The path of a slot's keys, if present.
  package func slotPath(_ slot: String) -> [String]? {
    if hasOneSlot { return slot == "default" ? ["active"] : nil }
    switch form(of: ["active", slot]) {
    case nil: return nil
    case .mapping: return ["active", slot, "keys"]
    case .text, .list, .nothing: return ["active", slot]
    }
  }

  /// The names of the keys that this file declares.
  package var keyNames: [String] { form(of: ["keys"])?.names ?? [] }

  package func declares(_ key: String) -> Bool { form(of: ["keys", key]) != nil }
}

extension ManifestFiles.File {
  /// The path for messages, with line and column.
  package func shown(_ place: DocumentError.Place?) -> String {
    place.map { "\(shown):\($0.line):\($0.column)" } ?? shown
  }
}

/// The order of a manifest's sections.
package enum ManifestOrder {
  /// The sections before another.
  package static func before(_ section: String) -> [String] { Array(ManifestReader.sections.prefix { $0 != section }) }
}
