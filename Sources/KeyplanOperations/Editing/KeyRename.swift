internal import KeyplanDocuments
internal import KeyplanModel
package import KeyplanReporting

/// Renames a key throughout the manifest's files, with a migration for its record.
package struct KeyRename {
  package let old: String
  package let new: String
  private typealias Way = WritableKeyPath<ManifestFiles, ManifestFiles.File>

  package init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  package func make(in files: inout ManifestFiles) throws(Failure) {
    if let dot = old.firstIndex(of: "."), files.all.contains(where: { $0.text.declares(String(old[..<dot])) }) {
      throw Failure(
        .usage, "Not a whole key", "\"\(old)\" is a part, and the parts of a key are renamed together.",
        hint: "keyplan keys rename \(old[..<dot]) \(new.prefix { $0 != "." })")
    }
    try DeclaredKey.check(old, in: files)
    guard Identifier<Key>(whole: new) != nil else {
      throw Failure(.usage, "Invalid key name", Failure.nameRule("A key"))
    }
    guard new != old else { throw Failure(.usage, "Name unchanged", "The key is already named \"\(old)\".") }
    for file in files.all where file.text.declares(new) {
      throw Failure(
        .failed, "Key already exists", "\(file.shown(file.text.place(of: ["keys", new]))) declares \"\(new)\".",
        hint: "Choose another name.")
    }
    try ManifestTemplate.rename(old, to: new, in: &files)
    let isDeclaredBelow = files.base.text.declares(old)
    for way in files.ways {
      let file = files[keyPath: way]
      let isDeclaredHere = file.text.declares(old)
      try rename(way, in: &files)
      // With null an overlay removes the key.
      if file.text.form(of: ["keys", old]) == .nothing { continue }
      let isVisible = isDeclaredHere || isDeclaredBelow && file.environment != nil
      if isVisible { try tell(way, isDeclaredHere: isDeclaredHere, isDeclaredBelow: isDeclaredBelow, in: &files) }
    }
  }

  private func rename(_ way: Way, in files: inout ManifestFiles) throws(Failure) {
    let text = files[keyPath: way].text
    // Earlier renames that ended at the old name now lead to the new one.
    let mentions = text.mentions(of: old).filter { $0.role != .movedFrom && $0.role != .movedTo }
    let references = mentions.filter(\.part.isEmpty).map(\.path)
    let templates = text.templates(naming: old).map { ($0.path, renamed($0.composition).template) }
    let isDeclaredHere = text.declares(old)
    try files.edit(way) { text throws(DocumentError) in
      for (path, template) in templates { try text.replace(path, with: .scalar(template)) }
      if isDeclaredHere {
        try text.rename(["keys", old], to: new, references: references)
      } else {
        for path in references { try text.replace(path, with: .scalar(new)) }
      }
      for mention in mentions where !mention.part.isEmpty {
        try text.replace(mention.path, with: .scalar(new + mention.part))
      }
    }
  }

  /// A template with the new name of the key, or of its parts.
  private func renamed(_ composition: Composition) -> Composition {
    let names = composition.parts.compactMap { part -> (Identifier<Key>, Identifier<Key>)? in
      guard part.name == old || part.name.hasPrefix(old + ".") else { return nil }
      return Identifier(new + part.name.dropFirst(old.count)).map { (part, $0) }
    }
    return composition.renaming(Dictionary(names) { first, _ in first })
  }

  /// Adds the migration that renames the record. Lists of an overlay replace those of the manifest: if an overlay has
  /// its own migrations, the migration is added there as well.
  private func tell(
    _ way: Way, isDeclaredHere: Bool, isDeclaredBelow: Bool, in files: inout ManifestFiles
  ) throws(Failure) {
    let file = files[keyPath: way]
    let hasOwn = if case .list = file.text.form(of: ["migrations"]) { true } else { false }
    if file.environment != nil, !hasOwn {
      if isDeclaredBelow { return }
      if case .list(let items) = files.base.text.form(of: ["migrations"]), !items.isEmpty {
        throw Failure(
          .failed, "Not edited",
          "The rename requires `migrations` in \(file.shown), which would replace those of \(files.base.shown).",
          hint: "Copy them into \(file.shown) first.")
      }
    }
    // A rename and its reverse conflict.
    while let back = KeyRemoval.moves(files[keyPath: way].text).first(where: { $0.from == new }) {
      guard back.to == old else {
        let place = files[keyPath: way].shown(files[keyPath: way].text.place(of: back.path))
        throw Failure(
          .failed, "Conflicting migration", "\(place) renames \"\(new)\" to \"\(back.to)\".",
          hint: "Remove that migration once it is applied everywhere, or choose another name.")
      }
      try files.edit(way) { text throws(DocumentError) in try text.removeItem(back.path) }
    }
    let item = "{ moved: \(YAMLText.quoted(old, inBrackets: true)), to: \(YAMLText.quoted(new, inBrackets: true)) }"
    try files.edit(way) { text throws(DocumentError) in
      try text.append(item, to: ["migrations"], after: ManifestOrder.before("migrations"))
    }
    try ManifestTemplate.end(.migrations, in: &files)
  }
}
