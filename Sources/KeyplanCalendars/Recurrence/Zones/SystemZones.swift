import KeyplanFiles

/// The zone data of this system.
enum SystemZones {
  private static let folders = ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"]

  /// The file of a zone. Names come from the author of an event: nothing outside of the folder is read.
  static func file(named name: String) -> [UInt8]? {
    guard isName(name) else { return nil }
    for folder in folders {
      if let bytes = try? SafeFile.read("\(folder)/\(name)", limit: 1 << 16, within: folder) { return bytes }
    }
    return nil
  }

  /// Whether it is a name such as `America/Argentina/Ushuaia`. The zones below `right` count leap seconds.
  static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), name.utf8.count <= 64, parts.first != "right" else { return false }
    return parts.allSatisfy { part in
      let isFirstLetter = part.utf8.first.map { (0x61...0x7A).contains($0 | 0x20) } ?? false
      return isFirstLetter
        && part.utf8.allSatisfy {
          (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "+-_".utf8.contains($0)
        }
    }
  }
}
