internal import Crypto
internal import KeyplanFiles
internal import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The key that seals the cache: 32 random bytes, in the keychain on Apple's platforms, otherwise in a file of their own beside it.
///
/// The file keeps values out of copies of single files, of backups that leave it out, and of programs that search disks for text that
/// looks like a key. A program that can read all files of the user can read the cache.
enum CacheKey {
  private static let name = "cache.key"

  /// The key of the cache in a directory; made if there is none.
  static func of(_ directory: String) throws(FileError) -> SymmetricKey {
    #if canImport(Security)
    if let key = inKeychain(for: directory) { return key }
    #endif
    return try inDirectory(directory)
  }

  private static func inDirectory(_ directory: String) throws(FileError) -> SymmetricKey {
    let path = "\(directory)/\(name)"
    while true {
      do throws(FileError) {
        return try read(path)
      } catch {
        guard error.code == .notFound else { throw error }
      }
      var bytes = SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) }
      defer { bytes.withUnsafeMutableBytes { zero($0) } }
      do throws(FileError) {
        try PrivateFile.create(path, bytes)
      } catch {
        switch error.code {
        // Another process was faster, or is about to be.
        case .exists: continue
        case .busy: usleep(2000)
        default: throw error
        }
      }
    }
  }

  private static func read(_ path: String) throws(FileError) -> SymmetricKey {
    var bytes = try SafeFile.readPrivate(path, limit: 64)
    defer { bytes.withUnsafeMutableBytes { zero($0) } }
    guard bytes.count == 32 else { throw FileError(.changed, path) }
    return SymmetricKey(data: bytes)
  }
}
