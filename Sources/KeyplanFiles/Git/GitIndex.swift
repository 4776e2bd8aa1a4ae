#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The names in a git index of version 2, 3 or 4 (gitformat-index(5)), read in one pass and in constant memory.
struct GitIndex: ~Copyable {
  /// The requested names that are in the index.
  struct Matches {
    var tracked: Set<[UInt8]> = []
    /// Names below a directory that a sparse index stores as a single entry.
    var unknown: Set<[UInt8]> = []
    /// Names of submodules and names below them, by the submodule's name.
    var submodules: [[UInt8]: [UInt8]] = [:]
    /// Directories in which files are tracked.
    var directories: Set<[UInt8]> = []
  }

  /// Enough for an index of some 3,000,000 files.
  static let sizeLimit = 1 << 28
  /// Longer than any path that the system accepts. Version 4 shares prefixes between names: without a limit, a small
  /// file could demand any amount of work.
  static let nameLimit = Int(PATH_MAX)

  private var bytes: BufferedFile
  private let version: UInt32
  private let hashSize: Int
  private var name: [UInt8] = []

  /// - Parameter directories: directories to check for tracked files.
  /// - Returns: Nil if the index is damaged or has an unknown form.
  static func matches(
    for names: Set<[UInt8]>, directories: Set<[UInt8]> = [], in path: String, hashSize: Int
  ) throws(FileError) -> Matches? {
    let file = try SafeFile.openAny(path, in: Descriptor.workingDirectory, O_RDONLY, path: path)
    let status = try file.status(path)
    try status.requireRegular(path)
    guard status.size <= Self.sizeLimit else { throw FileError(.tooLarge(limit: Self.sizeLimit), path) }
    // The file ends with the index's own hash.
    var bytes = BufferedFile(file, end: status.size - hashSize, path: path)
    guard try bytes.number() == 0x4449_5243, let version = try bytes.number(), 2...4 ~= version else { return nil }
    var index = GitIndex(bytes: bytes, version: version, hashSize: hashSize)
    return try index.matches(for: names, directories)
  }

  private init(bytes: consuming BufferedFile, version: UInt32, hashSize: Int) {
    self.bytes = bytes
    self.version = version
    self.hashSize = hashSize
  }

  private mutating func matches(
    for names: Set<[UInt8]>, _ directories: Set<[UInt8]>
  ) throws(FileError) -> Matches? {
    guard let count = try bytes.number() else { return nil }
    let lengths = Set(names.map(\.count))
    let openings = Set(directories.map(\.count)).sorted()
    var matches = Matches()
    // Hostile indexes may have many of both, so names are looked up once, after the pass.
    var sparse: Set<[UInt8]> = []
    var submodules: Set<[UInt8]> = []
    for _ in 0..<count {
      guard let mode = try entry() else { return nil }
      for length in openings {
        guard length < name.count else { break }
        guard name[length] == .slash else { continue }
        let directory = Array(name[..<length])
        if directories.contains(directory) { matches.directories.insert(directory) }
      }
      switch mode & 0o170000 {
      // A directory of a sparse index; its name ends with a slash.
      case 0o040000: sparse.insert(Array(name.dropLast()))
      case 0o160000:
        submodules.insert(name)
        if names.contains(name) { matches.tracked.insert(name) }
      default: if lengths.contains(name.count), names.contains(name) { matches.tracked.insert(name) }
      }
    }
    if !sparse.isEmpty || !submodules.isEmpty {
      for name in names.union(directories) {
        if Self.parents(of: name).contains(where: sparse.contains) { matches.unknown.insert(name) }
        matches.submodules[name] = (Self.parents(of: name) + [name]).first(where: submodules.contains)
      }
    }
    return try extensionsAreKnown() ? matches : nil
  }

  /// The names of the directories that contain a name, the outermost first.
  private static func parents(of name: [UInt8]) -> [[UInt8]] {
    name.indices.filter { name[$0] == .slash }.map { Array(name[..<$0]) }
  }

  /// Reads one entry's name into `name`, and returns its mode; nil if it is malformed.
  private mutating func entry() throws(FileError) -> UInt32? {
    // Times, device and inode come before the mode; owner, group, size and hash after it.
    guard try bytes.skip(24), let mode = try bytes.number(), try bytes.skip(12 + hashSize),
      let flags = try bytes.short()
    else { return nil }
    var head = 42 + hashSize
    if flags & 0x4000 != 0 {
      guard version >= 3, try bytes.skip(2) else { return nil }
      head += 2
    }
    if version == 4 {
      guard let removed = try removedCount(), removed <= name.count else { return nil }
      name.removeLast(removed)
    } else {
      name.removeAll(keepingCapacity: true)
    }
    guard try bytes.append(to: &name, limit: Self.nameLimit), !name.isEmpty else { return nil }
    if version < 4 {
      // One to eight NULs, of which the first has been read: the length of an entry is a multiple of eight.
      guard try bytes.skip(7 - (head + name.count) % 8) else { return nil }
    }
    return mode
  }

  /// The number of bytes at the end of the previous name that are not shared: the variable-width number of pack files.
  private mutating func removedCount() throws(FileError) -> Int? {
    guard var byte = try bytes.byte() else { return nil }
    var value = Int(byte & 0x7f)
    while byte & 0x80 != 0 {
      guard value < Self.nameLimit, let next = try bytes.byte() else { return nil }
      byte = next
      value = (value + 1) << 7 + Int(byte & 0x7f)
    }
    return value
  }

  /// Whether the extensions are complete and none of them is required but unknown: required ones have names that begin
  /// with a lower-case letter. `link` (a split index) has its entries in another file. `sdir` only means that there may
  /// be directories among the entries.
  private mutating func extensionsAreKnown() throws(FileError) -> Bool {
    while bytes.remaining > 0 {
      guard let signature = try bytes.number(), let size = try bytes.number(), try bytes.skip(Int(size)) else {
        return false
      }
      let isOptional = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= UInt8(signature >> 24)
      guard isOptional || signature == 0x7364_6972 else { return false }
    }
    return true
  }
}
