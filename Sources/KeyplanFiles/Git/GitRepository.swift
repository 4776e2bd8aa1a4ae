/// The files of a repository that describe its work tree: `.git`, `HEAD`, `commondir`, `config` and `index`.
struct GitRepository: Hashable, Sendable {
  /// The directory of this work tree's own `HEAD` and `index`.
  private let directory: String
  /// The directory of everything else; differs only in a linked work tree.
  private let common: String
  private let format: ObjectFormat

  /// The hash function of object names; an index does not say which one it uses.
  enum ObjectFormat: Hashable, Sendable {
    case sha1, sha256

    var size: Int { self == .sha1 ? 20 : 32 }
  }

  /// The `.git` of a directory.
  enum Entry {
    /// Missing, or something that git ignores as well.
    case none
    case repository(GitRepository)
    /// The root of a work tree whose index cannot be found or read.
    case unusable

    /// - Parameter directory: a resolved path.
    init(in directory: String) throws(FileError) {
      let git = (directory == "/" ? "" : directory) + "/.git"
      // Nearly all directories have none, and resolving a path inspects each of its components.
      guard try GitRepository.kind(of: git) != nil else {
        self = .none
        return
      }
      let resolved: ResolvedPath
      do throws(FileError) {
        resolved = try ResolvedPath(git)
      } catch {
        guard error.code == .brokenLink else { throw error }
        self = .unusable
        return
      }
      switch try GitRepository.kind(of: resolved.path) {
      case nil: self = .none
      case .directory:
        self = try GitRepository.isRepository(resolved.path) ? .of(resolved.path, workTree: directory) : .none
      case .regular:
        guard let linked = try? GitRepository.directory(namedIn: resolved.path, relativeTo: directory),
          (try? GitRepository.isRepository(linked)) == true
        else {
          self = .unusable
          return
        }
        self = .of(linked, workTree: directory)
      default: self = .unusable
      }
    }

    private static func of(_ directory: String, workTree: String) -> Entry {
      GitRepository(directory, workTree: workTree).map { .repository($0) } ?? .unusable
    }
  }

  /// Nil if the configuration cannot be read or names another work tree.
  private init?(_ directory: String, workTree: String) {
    do throws(FileError) {
      common = try GitRepository.commonDirectory(of: directory)
      let config = GitConfig(try GitRepository.read(common + "/config", limit: 1 << 20) ?? [])
      switch config["extensions", "objectformat"] {
      case nil, "sha1": format = .sha1
      case "sha256": format = .sha256
      default: return nil
      }
      // A submodule's repository names its work tree relative to itself; that of a linked work tree is not named here.
      if common == directory, let other = config["core", "worktree"] {
        let path = other.hasPrefix("/") ? other : directory + "/" + other
        guard try ResolvedPath(path).path == workTree else { return nil }
      }
    } catch {
      return nil
    }
    self.directory = directory
  }

  /// Whether a resolved path belongs to the repository itself.
  func contains(_ path: String) -> Bool {
    ResolvedPath.isWithin(path, directory) || ResolvedPath.isWithin(path, common)
  }

  /// Ignore patterns of this clone only.
  var exclude: String { common + "/info/exclude" }

  /// The given names that the index contains; nil if it cannot be read. A repository without an index tracks
  /// nothing.
  func entries(among names: Set<[UInt8]>, directories: Set<[UInt8]> = []) -> GitIndex.Matches? {
    guard !names.isEmpty || !directories.isEmpty else { return GitIndex.Matches() }
    do throws(FileError) {
      return try GitIndex.matches(
        for: names, directories: directories, in: directory + "/index", hashSize: format.size)
    } catch {
      return error.code == .notFound ? GitIndex.Matches() : nil
    }
  }

  /// To git, a directory with `HEAD`, `objects` and `refs` is a repository.
  private static func isRepository(_ directory: String) throws(FileError) -> Bool {
    let common = try commonDirectory(of: directory)
    guard try Status.ofName(directory + "/HEAD", path: directory) != nil else { return false }
    for name in ["/objects", "/refs"] {
      guard try kind(of: ResolvedPath(common + name).path) == .directory else { return false }
    }
    return true
  }

  /// A linked work tree shares everything but `HEAD` and `index` with the main one.
  private static func commonDirectory(of directory: String) throws(FileError) -> String {
    guard let bytes = try read(directory + "/commondir", limit: pathLimit) else { return directory }
    return try path(in: bytes[...], relativeTo: directory, of: directory + "/commondir")
  }

  /// Reads the `.git` file of a submodule or a linked work tree: `gitdir: PATH`.
  private static func directory(namedIn file: String, relativeTo directory: String) throws(FileError) -> String {
    let bytes = try read(file, limit: pathLimit) ?? []
    let mark = Array("gitdir: ".utf8)
    guard bytes.starts(with: mark) else { throw FileError(.invalidPath, file) }
    return try path(in: bytes.dropFirst(mark.count), relativeTo: directory, of: file)
  }

  private static func path(
    in bytes: ArraySlice<UInt8>, relativeTo directory: String, of file: String
  ) throws(FileError) -> String {
    var bytes = bytes
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw FileError(.invalidPath, file)
    }
    return try ResolvedPath(text.hasPrefix("/") ? text : directory + "/" + text).path
  }

  private static func kind(of path: String) throws(FileError) -> FileKind? {
    do throws(FileError) {
      return try Status.ofName(path, path: path)?.kind
    } catch {
      guard error.code == .notDirectory else { throw error }
      return nil
    }
  }

  /// Nil if the file does not exist.
  private static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try SafeFile.read(path, limit: limit)
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private static let pathLimit = 1 << 16
}
