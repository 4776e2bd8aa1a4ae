internal import Crypto
internal import FoundationEssentials
internal import KeyplanFiles
internal import KeyplanSecrets

/// The cache on the disk: a sealed file for each item, and a file with its lock, which the processes of a user share.
///
/// File names are blind indexes of the item and of all sources, so that readers with other sources never see each other's
/// values, and names of keys are not in the directory.
final class SealedCache: Sendable {
  private let directory: String
  private let key: SymmetricKey
  private let names: SymmetricKey
  private let sources: [String]
  private let report: @Sendable (ReaderNotice) -> Void

  /// - Throws: the reason that there can be no cache.
  init(
    _ directory: String, of sources: [String], report: @escaping @Sendable (ReaderNotice) -> Void
  ) throws(FileError) {
    try PrivateDirectory.ensure(directory)
    let root = try CacheKey.of(directory)
    func derived(_ purpose: String) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: root, info: Array("keyplan/reader/1/\(purpose)".utf8), outputByteCount: 32)
    }
    (self.directory, self.sources, self.report) = (directory, sources, report)
    (key, names) = (derived("values"), derived("names"))
  }

  // MARK: Records

  /// The record on the disk. A file that cannot be opened, because it is damaged or was sealed under another key, is removed.
  func read(_ item: ReadItem) -> CacheRecord {
    let name = name(item)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.readPrivate(path(name), limit: Self.limit)
    } catch {
      if error.code != .notFound { drop(name, item, "\(error)") }
      return CacheRecord()
    }
    guard let record = opened(bytes, name) else {
      drop(name, item, "It was damaged, or sealed under another key.")
      return CacheRecord()
    }
    return record
  }

  /// - Throws: the reason that it is not written. The previous record stays.
  func write(_ record: CacheRecord, for item: ReadItem) throws(FileError) {
    let name = name(item)
    guard !record.isEmpty else { return try AtomicFile.remove(path(name)) }
    var text = record.encoded()
    defer { text.withUnsafeMutableBytes { zero($0) } }
    guard let sealed = try? AES.GCM.seal(text, using: key, authenticating: Array(name.utf8)).combined else { return }
    try AtomicFile.replace(path(name), with: Array(sealed))
  }

  /// The lock of an item, not taken yet.
  func lock(_ item: ReadItem) throws(FileError) -> LockFile { try LockFile("\(path(name(item))).lock") }

  private func opened(_ bytes: [UInt8], _ name: String) -> CacheRecord? {
    guard let box = try? AES.GCM.SealedBox(combined: bytes),
      var text = try? AES.GCM.open(box, using: key, authenticating: Array(name.utf8))
    else { return nil }
    defer { text.withUnsafeMutableBytes { zero($0) } }
    return text.withUnsafeBytes { CacheRecord($0) }
  }

  private func drop(_ name: String, _ item: ReadItem, _ why: String) {
    report(.cacheDropped(item, why))
    try? AtomicFile.remove(path(name))
  }

  // MARK: The calendar

  /// The latest time that a process with this cache has seen, in milliseconds since 1970: a clock with an earlier time was set back.
  func latestTime() -> Int64 {
    guard let bytes = try? SafeFile.readPrivate(path(Self.calendar), limit: 64),
      let text = String(validating: bytes, as: UTF8.self), let time = Int64(text)
    else { return .min }
    return time
  }

  func note(latestTime: Int64) { try? AtomicFile.replace(path(Self.calendar), with: Array("\(latestTime)".utf8)) }

  // MARK: Names

  private static let calendar = "latest-time"
  private static let limit = 4 << 20

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  private func name(_ item: ReadItem) -> String {
    var code = HMAC<SHA256>(key: names)
    for text in sources + ["\(item)"] {
      withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { code.update(data: $0) }
      code.update(data: Array(text.utf8))
    }
    return code.finalize().prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
