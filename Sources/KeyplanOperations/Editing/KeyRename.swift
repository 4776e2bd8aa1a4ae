internal import KeyplanCore
internal import KeyplanDocuments
package import KeyplanReporting

/// Gives a key another name, wherever the manifest's files speak of it, and has its record come along.
package struct KeyRename {
  package let old: String
  package let new: String
  private typealias Way = WritableKeyPath<ManifestFiles, ManifestFiles.File>

  package init(old: String, new: String) {
    self.old = old
    self.new = new
  }

  package func make(in files: inout ManifestFiles) throws(Failure) {
    try DeclaredKey.check(old, in: files)
    guard Identifier<Key>(new) != nil else {
      throw Failure(.usage, "Not a key's name", Failure.nameRule("A key"))
    }
    guard new != old else { throw Failure(.usage, "The same name", "The key is called \"\(old)\" already.") }
    for file in files.all where file.text.declares(new) {
      throw Failure(
        .failed, "Key exists already", "\(file.shown(file.text.place(of: ["keys", new]))) declares \"\(new)\".",
        hint: "Choose another name.")
    }
    let isDeclaredBelow = files.base.text.declares(old)
    for way in files.ways {
      let file = files[keyPath: way]
      let isDeclaredHere = file.text.declares(old)
      try rename(way, in: &files)
      // With null an overlay takes the key out.
      if file.text.form(of: ["keys", old]) == .nothing { continue }
      let isVisible = isDeclaredHere || isDeclaredBelow && file.environment != nil
      if isVisible { try tell(way, isDeclaredHere: isDeclaredHere, isDeclaredBelow: isDeclaredBelow, in: &files) }
    }
  }

  private func rename(_ way: Way, in files: inout ManifestFiles) throws(Failure) {
    let text = files[keyPath: way].text
    // A renaming tells of the names that were: what ended at the old name goes on from there.
    let references = text.mentions(of: old).filter { $0.role != .movedFrom && $0.role != .movedTo }.map(\.path)
    let isDeclaredHere = text.declares(old)
    try files.edit(way) { text throws(DocumentError) in
      if isDeclaredHere {
        try text.rename(["keys", old], to: new, references: references)
      } else {
        for path in references { try text.replace(path, with: .scalar(new)) }
      }
    }
  }

  /// Adds the migration by which the record gets its new name. Lists of an overlay replace those below: where an overlay has
  /// migrations of its own, it is told there as well.
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
          "The renaming belongs under `migrations` in \(file.shown), and would replace those of \(files.base.shown).",
          hint: "Copy them into \(file.shown) first.")
      }
    }
    // There and back again: only one of the two can stand.
    while let back = KeyRemoval.moves(files[keyPath: way].text).first(where: { $0.from == new }) {
      guard back.to == old else {
        let place = files[keyPath: way].shown(files[keyPath: way].text.place(of: back.path))
        throw Failure(
          .failed, "Name was another key's", "\(place) says that \"\(new)\" is called \"\(back.to)\" now.",
          hint: "Take that migration out once it is applied everywhere, or choose another name.")
      }
      try files.edit(way) { text throws(DocumentError) in try text.removeItem(back.path) }
    }
    let item = "{ moved: \(YAMLText.quoted(old, inBrackets: true)), to: \(YAMLText.quoted(new, inBrackets: true)) }"
    try files.edit(way) { text throws(DocumentError) in
      try text.append(item, to: ["migrations"], after: ManifestOrder.before("migrations"))
    }
  }
}
