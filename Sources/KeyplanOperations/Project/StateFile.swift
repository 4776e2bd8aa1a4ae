internal import FoundationEssentials
internal import KeyplanFiles
package import KeyplanReporting

/// A file in the state directory, private to its owner.
package enum StateFile {
  private static let limit = 16 << 20
  private static let attempts = 20

  /// - Parameter what: the file's content, such as "Known stores".
  /// - Returns: nil if there is no file.
  package static func read(_ path: String, _ what: String) throws(Failure) -> [UInt8]? {
    do throws(FileError) {
      return try SafeFile.readPrivate(path, limit: limit)
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else {
        throw Failure(.storeRefused, "\(what) cannot be read", error.description + ".", hint: error.hint)
      }
      return nil
    }
  }

  /// Changes a file durably. Concurrent processes keep each other's changes: the file is
  /// replaced only if it still has the content that was read.
  /// - Parameter change: gets nil if there is no file. If it returns nil, nothing changes; if it returns no bytes, the file is removed.
  package static func update(
    _ path: String, _ what: String, _ change: ([UInt8]?) throws(Failure) -> [UInt8]?
  ) throws(Failure) {
    for attempt in 1...attempts {
      let old = try read(path, what)
      guard let new = try change(old) else { return }
      do throws(FileError) {
        if new.isEmpty {
          try AtomicFile.remove(path, expecting: old)
        } else {
          try PrivateDirectory.ensure(Project.parent(of: path))
          try AtomicFile.replace(path, with: new, expecting: old)
        }
        return
      } catch {
        guard error.code == .changed || error.code == .busy, attempt < attempts else {
          throw Failure(error, "\(what) cannot be written")
        }
      }
    }
  }

  /// Writes JSON. Creates the directory if needed, and replaces the file atomically.
  /// - Throws: `FileError`, or the error of encoding.
  package static func write(_ content: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = Array(try encoder.encode(content)) + [UInt8(ascii: "\n")]
    try PrivateDirectory.ensure(Project.parent(of: path))
    try AtomicFile.replace(path, with: bytes)
  }
}
