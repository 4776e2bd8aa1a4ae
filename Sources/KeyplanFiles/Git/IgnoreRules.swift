/// Decides which files of a work tree git ignores, according to every `.gitignore` on the path and to `.git/info/exclude`.
///
/// A user's own list (`core.excludesFile`) is not considered: it does not apply to other people's clones.
package struct IgnoreRules {
  private let root: String
  /// The patterns of the ignore files read so far, by path.
  private var read: [String: [IgnorePattern]] = [:]
  private let excluded: [IgnorePattern]

  /// More than any real ignore file.
  private static let sizeLimit = 1 << 18
  /// The maximum number of steps for one file: a hostile checkout can have many patterns and deep paths.
  private static let costLimit = 1 << 26

  /// - Parameters:
  ///   - root: the resolved root of the work tree.
  ///   - exclude: the path of `info/exclude`; nil if there is no repository.
  package init(root: String, exclude: String?) throws(FileError) {
    self.root = root == "/" ? "" : root
    excluded = try exclude.map { path throws(FileError) in try Self.patterns(path) } ?? []
  }

  /// Whether a file, or a directory that contains it, is ignored.
  /// - Parameter name: relative to the root, without links.
  package mutating func ignores(_ name: [UInt8]) throws(FileError) -> Bool {
    var lists = [(start: 0, patterns: try patterns(in: root))]
    var index = 0
    var cost = 0
    while true {
      let end = name[index...].firstIndex(of: .slash) ?? name.count
      let isDirectory = end < name.count
      cost += lists.reduce(excluded.cost) { $0 + $1.patterns.cost } * end
      guard cost < Self.costLimit else { throw FileError(.tooLarge(limit: Self.costLimit), root + "/.gitignore") }
      // Files in an ignored directory cannot be re-included, so ignore files inside it do not matter.
      if isIgnored(name[..<end], isDirectory: isDirectory, lists) { return true }
      guard isDirectory else { return false }
      index = end + 1
      let directory = String(decoding: name[..<end], as: UTF8.self)
      lists.append((index, try patterns(in: root + "/" + directory)))
    }
  }

  private mutating func patterns(in directory: String) throws(FileError) -> [IgnorePattern] {
    if let known = read[directory] { return known }
    let patterns = try Self.patterns(directory + "/.gitignore")
    read[directory] = patterns
    return patterns
  }

  /// The innermost ignore file with a matching pattern decides, by the last pattern that matches.
  private func isIgnored(
    _ name: ArraySlice<UInt8>, isDirectory: Bool, _ lists: [(start: Int, patterns: [IgnorePattern])]
  ) -> Bool {
    for (start, patterns) in lists.reversed() + [(0, excluded)] {
      let relative = name[start...]
      if let pattern = patterns.last(where: { $0.matches(relative, isDirectory: isDirectory) }) {
        return !pattern.isNegated
      }
    }
    return false
  }

  /// Empty if the file does not exist or is a link, which git does not follow either.
  private static func patterns(_ path: String) throws(FileError) -> [IgnorePattern] {
    var bytes: ArraySlice<UInt8>
    do throws(FileError) {
      bytes = try SafeFile.readItself(path, limit: sizeLimit)[...]
    } catch {
      switch error.code {
      case .notFound, .notDirectory, .symlink, .notRegular: return []
      default: throw error
      }
    }
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes = bytes.dropFirst(3) }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      IgnorePattern(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
  }
}

extension [IgnorePattern] {
  fileprivate var cost: Int { reduce(0) { $0 + $1.cost } }
}
