package import KeyplanDocuments
internal import KeyplanModel
package import KeyplanReporting

/// Removes a key and, where possible, its references from the manifest.
package struct KeyRemoval {
  package let key: String
  /// The replacement in slots that have no other key.
  package let successor: String?
  private typealias Way = WritableKeyPath<ManifestFiles, ManifestFiles.File>

  package init(key: String, successor: String?) {
    self.key = key
    self.successor = successor
  }

  package func make(in files: inout ManifestFiles) throws(Failure) {
    try DeclaredKey.check(key, in: files)
    if let successor {
      guard successor != key else {
        throw Failure(.usage, "Another key required", "\"\(key)\" cannot replace itself.")
      }
      try DeclaredKey.checkVisible(successor, in: files)
    }
    try refuse(files)
    for way in files.ways {
      try removeMentions(way, in: &files)
      guard files[keyPath: way].text.declares(key) else { continue }
      try files.edit(way) { text throws(DocumentError) in try text.remove(["keys", key]) }
    }
    try ManifestTemplate.remove(key, in: &files)
  }

  /// Fails if a slot or a rule would be left without a key.
  private func refuse(_ files: ManifestFiles) throws(Failure) {
    var slots: [String] = []
    var rules: [String] = []
    var templates: [String] = []
    for file in files.all {
      for mention in file.text.mentions(of: key) {
        switch mention.role {
        case .choice(let slot) where successor == nil, .candidate(let slot, of: 1) where successor == nil:
          slots.append("\(file.shown(mention.place)): active.\(slot) has no other key")
        case .ruled(let rule, of: 1):
          rules.append("\(file.shown(mention.place)): the rule \(rule) names no other key")
        default: break
        }
      }
      for template in file.text.templates(naming: key) where template.key != key {
        templates.append("\(file.shown(template.place)): \"\(template.key)\" is composed of it")
      }
    }
    guard templates.isEmpty else {
      throw Failure(
        .refused, "Key is in use", templates.joined(separator: "\n  "),
        hint: "Change the template, or remove the key that is composed first.")
    }
    guard !slots.isEmpty || !rules.isEmpty else { return }
    throw Failure(
      .refused, "Key is in use", (slots + rules).joined(separator: "\n  "),
      hint: slots.isEmpty
        ? "Add another key to the rule, or remove the rule by hand; then remove this key."
        : "Name the key that replaces it: --activate NAME"
          + (rules.isEmpty ? "." : ", and add another key to the rule."))
  }

  private func removeMentions(_ way: Way, in files: inout ManifestFiles) throws(Failure) {
    for name in movedHere(files[keyPath: way].text) { try removeMove(to: name, way, in: &files) }
    // Each edit invalidates the locations.
    while let mention = files[keyPath: way].text.mentions(of: key).last(where: { $0.role != .movedFrom }) {
      try files.edit(way) { text throws(DocumentError) in
        switch mention.role {
        case .choice, .candidate(_, of: 1):
          try text.replace(mention.path, with: .scalar((successor ?? key) + mention.part))
        case .candidate, .oneFeed, .ruled: try text.removeItem(mention.path)
        case .feed(let entry): try text.remove(entry)
        case .adopted, .movedTo: try text.removeItem(Array(mention.path.dropLast()))
        case .movedFrom: break
        }
      }
    }
  }

  /// The earlier names of the key according to migrations, and the key itself last.
  private func movedHere(_ text: YAMLText) -> [String] {
    var names = [key]
    var index = 0
    let moves = Self.moves(text)
    while index < names.count {
      for move in moves where move.to == names[index] && !names.contains(move.from) { names.append(move.from) }
      index += 1
    }
    return names.reversed()
  }

  private func removeMove(to name: String, _ way: Way, in files: inout ManifestFiles) throws(Failure) {
    while let move = Self.moves(files[keyPath: way].text).last(where: { $0.to == name }) {
      try files.edit(way) { text throws(DocumentError) in try text.removeItem(move.path) }
    }
  }

  /// The renames declared in a file.
  package static func moves(_ text: YAMLText) -> [(path: [String], from: String, to: String)] {
    guard case .list(let items) = text.form(of: ["migrations"]) else { return [] }
    return items.indices.compactMap { index in
      let path = ["migrations", String(index)]
      guard case .text(let from) = text.form(of: path + ["moved"]), case .text(let to) = text.form(of: path + ["to"])
      else { return nil }
      return (path, from, to)
    }
  }
}
