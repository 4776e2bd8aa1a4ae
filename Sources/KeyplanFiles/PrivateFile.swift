#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes files that only this user can read.
package enum PrivateFile {
  /// Makes a file of mode 0600, whatever the umask, and has it outlast a power cut; never overwrites one.
  ///
  /// At any moment, power cuts included, there is no file or the whole one. The bytes pass through `NAME.keyplan-new`, whose lock
  /// keeps others who make the same file here away; a program that takes no notice of it and makes the file between the look at
  /// its name and the rename loses its file.
  ///
  /// - Throws: ``FileError/Code/exists`` if anything has the name, be it a link to nothing. After any other error the
  ///   new file is gone again.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(FileError) {
    guard try Status.ofName(path, path: path) == nil else { throw FileError(.exists, path) }
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
