#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The mount of a file, which limits who else can change or read the file.
struct Mount {
  let isReadOnly: Bool
  /// Whether its file system is not that of the root directory.
  let isOwn: Bool
  private let device: Int

  /// - Parameter path: the name by which the user knows the file.
  init(of name: String, _ status: Status, _ path: String) throws(FileError) {
    var found = statvfs()
    try retrying(path) { statvfs(name, &found) }
    isReadOnly = Int(found.f_flag) & Int(ST_RDONLY) != 0
    device = status.device
    isOwn = try Status.ofName("/", path: path)?.device != device
  }

  /// Whether its files are in memory only. False if unknown.
  var isInMemory: Bool {
    #if canImport(Glibc)
    guard let bytes = try? SafeFile.read("/proc/self/mountinfo", limit: 1 << 20) else { return false }
    // As `gnu_dev_major` and `gnu_dev_minor` take a number apart.
    let number = UInt64(truncatingIfNeeded: device)
    let (major, minor) = (number >> 8 & 0xfff | number >> 32 & ~0xfff, number & 0xff | number >> 12 & ~0xff)
    let id = "\(major):\(minor)"
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == id, let dash = words.firstIndex(of: "-"), dash + 1 < words.count else {
        return false
      }
      return ["tmpfs", "ramfs"].contains(words[dash + 1])
    }
    #else
    return false
    #endif
  }
}
