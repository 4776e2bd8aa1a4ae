#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Makes files that only this user can read.
public enum PrivateFile {
  /// Makes a file of mode 0600, whatever the umask, and has it outlast a power cut; never overwrites one.
  ///
  /// - Throws: ``FileError/Code/exists`` if anything has the name, be it a link to nothing. After any other error the
  ///   new file is gone again.
  public static func create(_ path: String, _ bytes: [UInt8]) throws(FileError) {
    let file = try Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600, path: path)
    do throws(FileError) {
      try file.setMode(0o600, path)
      try file.write(bytes, path)
      try file.synchronize(path)
      try PrivateDirectory.synchronize(above: path)
    } catch {
      unlink(path)
      throw error
    }
  }
}
