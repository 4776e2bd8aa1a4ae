#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Gives files other names in their directory.
package enum FileMove {
  /// Renames a file. Replaces nothing, if no other process creates the new name at the same moment.
  /// - Throws: ``FileError/Code/exists`` if the new name is in use.
  package static func rename(_ path: String, to new: String) throws(FileError) {
    try PrivateFile.requireAbsence(of: new)
    try retrying(path) { renameat(AT_FDCWD, path, AT_FDCWD, new) }
    try PrivateDirectory.synchronize(above: new)
  }
}
