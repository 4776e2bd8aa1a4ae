package import KeyplanReporting

/// The bytes of a manifest's files: a command that needs a rare field looks for its word first, which costs a fraction of reading the
/// manifest.
package struct ManifestWords {
  /// The manifest, absolute.
  let path: String
  /// The environment in use; nil for the one without a name.
  let environment: String?
  /// Nil if the manifest itself determines which overlay is merged.
  private let files: [[UInt8]]?

  package init(in world: World) throws(Failure) {
    path = try Project.find(in: world)
    let overlays = Project.overlays(of: path, in: world)
    environment = EnvironmentChoice(in: world, among: overlays)?.name
    guard environment != nil || overlays.isEmpty else {
      files = nil
      return
    }
    var files = [try Project.read(path)]
    if let environment { files.append(try Project.read(Project.overlayPath(of: path, environment))) }
    self.files = files
  }

  /// Whether one of the words could be in it, spelled out or escaped.
  package func mayContain(_ words: String...) -> Bool {
    guard let files else { return true }
    let words = words.map { Array($0.utf8) }
    let escapes = [UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U")]
    // Most bytes start no word: looking them up is cheaper than comparing them.
    var beginnings = [Bool](repeating: false, count: 256)
    for byte in words.compactMap(\.first) + [UInt8(ascii: "\\")] { beginnings[Int(byte)] = true }
    return files.contains { file in
      file.withUnsafeBufferPointer { bytes in
        beginnings.withUnsafeBufferPointer { beginnings in
          for index in bytes.indices where beginnings[Int(bytes[index])] {
            if bytes[index] == UInt8(ascii: "\\") {
              if index + 1 < bytes.count, escapes.contains(bytes[index + 1]) { return true }
            } else if words.contains(where: { bytes[index...].starts(with: $0) }) {
              return true
            }
          }
          return false
        }
      }
    }
  }
}
