internal import KeyplanDocuments
internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// A key to edit, known to be declared in the edited file.
package enum DeclaredKey {
  /// - Throws: `Failure` if the edited file does not declare it, with the place that does.
  package static func check(_ key: String, in files: ManifestFiles) throws(Failure) {
    if files.edited.text.declares(key) {
      guard files.environment != nil, files.base.text.declares(key) else { return }
      throw Failure(
        .failed, "Declared for all environments",
        "\(files.base.shown(files.base.text.place(of: ["keys", key]))) declares \"\(key)\"; "
          + "\(files.edited.shown) only overrides it.",
        hint: "Omit --environment to change it everywhere.")
    }
    if files.environment != nil, files.base.text.declares(key) {
      throw Failure(
        .failed, "Declared for all environments",
        "\(files.base.shown(files.base.text.place(of: ["keys", key]))) declares \"\(key)\".",
        hint: "Omit --environment to change it everywhere; `\(key): null` under `keys` in \(files.edited.shown) "
          + "removes it from this environment.")
    }
    let others = files.overlays.filter { $0.text.declares(key) }
    guard others.isEmpty else {
      throw Failure(
        .failed, "Declared elsewhere",
        "\(files.base.shown) does not declare \"\(key)\", "
          + "but \(others.map(\.shown).joined(separator: " and ")) does.",
        hint: "Name the environment: --environment \(others[0].environment ?? "NAME")")
    }
    throw Failure(notDeclared: key, among: files.edited.text.keyNames)
  }

  /// Verifies that the key is declared in the edited environment, possibly by the manifest itself.
  package static func checkVisible(_ key: String, in files: ManifestFiles) throws(Failure) {
    guard !files.base.text.declares(key), !files.edited.text.declares(key) else { return }
    try check(key, in: files)
  }
}

extension Failure {
  init(notDeclared key: String, among names: some Sequence<String>) {
    self.init(
      .failed, "Not declared", "The manifest has no key \(Failure.typed(key)).",
      hint: Failure.hint(ofTyped: key) ?? Suggestion.nearest(to: key, among: names).map { "Did you mean \($0)?" }
        ?? "`keyplan keys` lists them; `keyplan keys add NAME --provider PROVIDER` adds one.")
  }
}
