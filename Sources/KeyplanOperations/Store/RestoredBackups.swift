package import KeyplanStore

/// The backup from which this machine last restored each store: the backup's own code, and the root key and serial that the store got. When
/// a restore is repeated after an interruption, everything may be done already, and then no pin names the backup's root key.
///
/// Kept in the state directory, one line for each store: `STORE ROOT SERIAL CODE`. If it is lost, the backup requires `--root`.
package struct RestoredBackups {
  private struct Line: Hashable {
    let store: String
    let root: String
    let serial: Int64
    let code: String

    var text: String { "\(store) \(root) \(serial) \(code)\n" }

    init(_ store: String, _ root: String, _ serial: Int64, _ code: String) {
      (self.store, self.root, self.serial, self.code) = (store, root, serial, code)
    }

    /// Nil for anything else.
    init?(_ text: Substring) {
      let words = text.split(separator: " ").map(String.init)
      guard words.count == 4, let serial = Int64(words[2]) else { return nil }
      self.init(words[0], words[1], serial, words[3])
    }
  }

  private let path: String
  private static let what = "Restored backups"

  package init(in world: World) { path = world.state + "/restored-backups" }

  /// Whether a store is the result of restoring the backup, without a later commit.
  package func has(_ backup: StoreBackup, as store: StoreFacts) -> Bool {
    (try? lines(of: StateFile.read(path, Self.what)))?
      .contains(Line(store.id, store.rootID, store.serial, backup.code)) ?? false
  }

  /// Records that a restore is about to set this root key and serial in the store.
  package func note(_ backup: StoreBackup, root: String, serial: Int64) {
    // If it fails, the backup has to be named by its root key.
    try? StateFile.update(path, Self.what) { old in
      let lines = lines(of: old).filter { $0.store != backup.store } + [Line(backup.store, root, serial, backup.code)]
      return Array(lines.map(\.text).joined().utf8)
    }
  }

  private func lines(of bytes: [UInt8]?) -> [Line] {
    String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").compactMap { Line($0) }
  }
}
