#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Renames files in their directory.
package enum FileMove {
  /// Renames a file. An existing file is not replaced, unless another process creates it at the same moment.
  /// - Throws: ``FileError/Code/exists`` if the new name is in use.
  package static func rename(_ path: String, to new: String) throws(FileError) {
    try PrivateFile.requireAbsence(of: new)
    try retrying(path) { renameat(AT_FDCWD, path, AT_FDCWD, new) }
    try PrivateDirectory.synchronize(above: new)
  }
}
