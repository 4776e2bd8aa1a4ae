/// Files that are recognized under any of their names, each with a description.
package struct KnownFiles: Sendable {
  private let files: [FileIdentity: (path: String, words: String)]

  /// Files that do not exist are left out. If two names lead to one file, the first counts.
  package init(_ files: [(path: String, words: String)]) {
    self.files = Dictionary(
      files.compactMap { path, words in FileIdentity(path).map { ($0, (path, words)) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether the description of a file is only its name, so that a message would say "X is X".
  package static func isName(_ words: String, of path: String) -> Bool { path.split(separator: "/").last == words[...] }

  /// The description of the file to which a path leads; nil if it is not known.
  package func words(for path: String) -> String? {
    guard let identity = FileIdentity(path), let known = files[identity] else { return nil }
    // The inode of a deleted file may have been reused by a new one.
    return FileIdentity(known.path) == identity ? known.words : nil
  }
}
