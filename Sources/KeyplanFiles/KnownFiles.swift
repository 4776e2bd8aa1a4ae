/// Files that are known under any of their names, each with words for what it is.
package struct KnownFiles: Sendable {
  private let files: [FileIdentity: (path: String, words: String)]

  /// Takes down those that are there; of two names of one file the first counts.
  package init(_ files: [(path: String, words: String)]) {
    self.files = Dictionary(
      files.compactMap { path, words in FileIdentity(path).map { ($0, (path, words)) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether words for a file are its own name, so that "X is X" would be said.
  package static func isName(_ words: String, of path: String) -> Bool { path.split(separator: "/").last == words[...] }

  /// What the file is that a path leads to; nil for one that is not known.
  package func words(for path: String) -> String? {
    guard let identity = FileIdentity(path), let known = files[identity] else { return nil }
    // A file that is gone by now leaves its inode to the next one that is made.
    return FileIdentity(known.path) == identity ? known.words : nil
  }
}
