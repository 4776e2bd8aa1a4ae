internal import KeyplanDocuments
package import KeyplanReporting

/// The sections that `init` writes as comments. An edit that makes the section itself removes the comment, and keeps the others up to
/// date.
package enum ManifestTemplate {
  /// The first line of the example of a key.
  static let key = "#  openai-main:"
  static let active = "# active:              # one key per slot; the first usable one of a list"
  static let migrations =
    "# migrations:          # each runs once. The value comes into the store and leaves the file; its key then has no `source`"
  /// In the place of `migrations`, once there is such a section.
  private static let moreMigrations =
    "# More entries of migrations: the value comes into the store and leaves the file; its key then has no `source`"

  /// The line of a migration that moves an imported value into the store.
  static func migration(of source: String, to key: String) -> String {
    "#   - { adopt: '\(source.replacing("'", with: "''"))', \(target(key)) original: remove }"
  }

  private static func target(_ key: String) -> String { "to: \(key)," }

  /// A comment whose section was made.
  package enum Section { case keys, active, migrations }

  package static func end(_ section: Section, in files: inout ManifestFiles) throws(Failure) {
    try edit(in: &files) { text throws(DocumentError) in
      switch section {
      case .keys: try text.rewriteComment(beginning: key) { _ in [] }
      case .active: try text.rewriteComment(beginning: active) { _ in [] }
      case .migrations:
        try text.rewriteComment(beginning: migrations) { $0.count == 1 ? [] : [moreMigrations] + $0.dropFirst() }
      }
    }
  }

  package static func addMigrations(
    of keys: [(source: String, key: String)], in files: inout ManifestFiles
  ) throws(Failure) {
    try rewriteMigrations(in: &files) { $0 + keys.map { migration(of: $0.source, to: $0.key) } }
  }

  package static func rename(_ old: String, to new: String, in files: inout ManifestFiles) throws(Failure) {
    try rewriteMigrations(in: &files) { lines in
      lines.map { $0.hasPrefix("#   - ") ? $0.replacing(" " + target(old), with: " " + target(new)) : $0 }
    }
  }

  package static func remove(_ key: String, in files: inout ManifestFiles) throws(Failure) {
    try rewriteMigrations(in: &files) { lines in
      let left = lines.filter { !$0.hasPrefix("#   - ") || !$0.contains(" " + target(key)) }
      return left.count == 1 ? [] : left
    }
  }

  private static func rewriteMigrations(
    in files: inout ManifestFiles, _ change: ([String]) -> [String]
  ) throws(Failure) {
    try edit(in: &files) { text throws(DocumentError) in
      for header in [migrations, moreMigrations] { try text.rewriteComment(beginning: header, change) }
    }
  }

  /// Only the manifest itself has them.
  private static func edit(
    in files: inout ManifestFiles, _ change: (inout YAMLText) throws(DocumentError) -> Void
  ) throws(Failure) {
    guard files.environment == nil else { return }
    try files.edit(\.base, change)
  }
}
