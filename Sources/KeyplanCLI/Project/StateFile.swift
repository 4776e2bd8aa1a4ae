internal import FoundationEssentials
internal import KeyplanFiles

/// A JSON file in the state directory, private to its owner.
enum StateFile {
  /// Creates the directory if needed, and replaces the file atomically.
  /// - Throws: `FileError`, or what encoding throws.
  static func write(_ content: some Encodable, to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = Array(try encoder.encode(content)) + [UInt8(ascii: "\n")]
    try PrivateDirectory.ensure(Project.parent(of: path))
    try AtomicFile.replace(path, with: bytes)
  }
}
