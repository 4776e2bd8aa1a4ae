#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Creates files that only this user can read.
package enum PrivateFile {
  /// - Throws: ``FileError/Code/exists`` if the name is in use, even by a broken link.
  package static func requireAbsence(of path: String) throws(FileError) {
    guard try Status.ofName(path, path: path) == nil else { throw FileError(.exists, path) }
  }

  /// Creates a file with mode 0600, whatever the umask, and synchronizes it to the disk. Never overwrites a file.
  ///
  /// At any moment, even across a power failure, the file is either missing or complete. The bytes are first written to
  /// `NAME.keyplan-new`, whose lock excludes other keyplan processes that create the same file. A file that another
  /// program creates between the last check and the rename is lost.
  ///
  /// - Throws: ``FileError/Code/exists`` if the name is in use, even by a broken link. After any other error the new
  ///   file is removed again.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(FileError) {
    try requireAbsence(of: path)
    let place = try ResolvedFile(of: path, within: nil)
    let directory = try Descriptor(opening: ".", in: place.directory.number, O_RDONLY, path: place.directoryPath)
    let draft = try TemporaryFile(for: place.name, in: directory, directoryPath: place.directoryPath)
    do throws(FileError) {
      try draft.file.write(bytes, path)
      try draft.file.synchronize(path)
      guard try Status.ofName(place.name, in: directory.number, path: path) == nil else {
        throw FileError(.exists, path)
      }
      try retrying(path) { renameat(directory.number, draft.name, directory.number, place.name) }
    } catch {
      unlinkat(directory.number, draft.name, 0)
      throw error
    }
    do throws(FileError) {
      try directory.synchronize(place.directoryPath)
    } catch {
      unlinkat(directory.number, place.name, 0)
      throw error
    }
  }
}
