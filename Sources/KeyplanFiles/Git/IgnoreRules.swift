/// Decides which files of a work tree git ignores, according to every `.gitignore` on the path and to `.git/info/exclude`.
///
/// A user's own list (`core.excludesFile`) is not considered: it does not apply to other people's clones.
package struct IgnoreRules {
  private let root: String
  /// The patterns of the ignore files read so far, by path.
  private var read: [String: [IgnorePattern]] = [:]
  private let excluded: [IgnorePattern]

  /// The bytes and steps that may be spent on all files of a run: a hostile checkout can have many repositories, ignore files, patterns and deep paths.
  package struct Budget {
    /// The bytes of ignore files that may still be read: more than any real work tree has on the paths of a project.
    fileprivate var bytes = 1 << 20
    /// The steps of comparisons that may still be taken.
    fileprivate var steps = 1 << 26

    package init() {}
  }

  /// More than any real ignore file.
  private static let sizeLimit = 1 << 18

  /// - Parameters:
  ///   - root: the resolved root of the work tree.
  ///   - exclude: the path of `info/exclude`; nil if there is no repository.
  package init(root: String, exclude: String?, within budget: inout Budget) throws(FileError) {
    self.root = root == "/" ? "" : root
    if let exclude { excluded = try Self.patterns(exclude, &budget) } else { excluded = [] }
  }

  /// Whether a file, or a directory that contains it, is ignored.
  /// - Parameter name: relative to the root, without links.
  /// - Throws: ``FileError`` if an ignore file cannot be read, or the budget is used up. Do not treat this as *ignored*.
  package mutating func ignores(_ name: [UInt8], within budget: inout Budget) throws(FileError) -> Bool {
    var lists = [(start: 0, patterns: try patterns(in: root, &budget))]
    var index = 0
    while true {
      let end = name[index...].firstIndex(of: .slash) ?? name.count
      let isDirectory = end < name.count
      // Files in an ignored directory cannot be re-included, so ignore files inside it do not matter.
      let isIgnored = isIgnored(name[..<end], isDirectory: isDirectory, lists, within: &budget.steps)
      guard budget.steps >= 0 else { throw FileError(.tooLarge(limit: Self.sizeLimit), root + "/.gitignore") }
      if isIgnored { return true }
      guard isDirectory else { return false }
      index = end + 1
      let directory = String(decoding: name[..<end], as: UTF8.self)
      lists.append((index, try patterns(in: root + "/" + directory, &budget)))
    }
  }

  private mutating func patterns(in directory: String, _ budget: inout Budget) throws(FileError) -> [IgnorePattern] {
    if let known = read[directory] { return known }
    let patterns = try Self.patterns(directory + "/.gitignore", &budget)
    read[directory] = patterns
    return patterns
  }

  /// The innermost ignore file with a matching pattern decides, by the last pattern that matches.
  private func isIgnored(
    _ name: ArraySlice<UInt8>, isDirectory: Bool, _ lists: [(start: Int, patterns: [IgnorePattern])],
    within steps: inout Int
  ) -> Bool {
    for (start, patterns) in lists.reversed() + [(0, excluded)] {
      let relative = name[start...]
      for pattern in patterns.reversed() {
        let isMatch = pattern.matches(relative, isDirectory: isDirectory, within: &steps)
        guard steps >= 0 else { return false }
        if isMatch { return !pattern.isNegated }
      }
    }
    return false
  }

  /// Empty if the file does not exist or is a link, which git does not follow either.
  private static func patterns(_ path: String, _ budget: inout Budget) throws(FileError) -> [IgnorePattern] {
    var bytes: ArraySlice<UInt8>
    do throws(FileError) {
      bytes = try SafeFile.readItself(path, limit: min(sizeLimit, budget.bytes))[...]
      budget.bytes -= bytes.count
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
