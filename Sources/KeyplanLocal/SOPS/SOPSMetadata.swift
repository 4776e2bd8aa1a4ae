import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The encryption metadata of a SOPS file.
struct SOPSMetadata: Sendable {
  let rules: SOPSRules
  /// Whether the MAC covers only the encrypted values.
  let macOnlyEncrypted: Bool
  /// Of the SOPS that wrote the file last.
  let version: SOPSVersion
  /// The time of the last change, to which the MAC is bound.
  let lastModified: String
  /// The encrypted MAC.
  let mac: SOPSCipher.Text
  /// The data key, encrypted to each recipient: armored age files.
  private let keys: [[UInt8]]
  private static let mostKeys = 256
  /// Of one encrypted key. One recipient takes 500 bytes; each costs a key agreement.
  private static let longestKey = 8 << 10

  init(_ text: some SOPSText) throws(AccessFailure) {
    guard let written = text.metadata("mac"), let modified = text.metadata("lastmodified") else {
      throw AccessFailure(
        .unreadable, "The file is not encrypted with SOPS: its metadata is missing.", hint: "Run: sops encrypt -i FILE")
    }
    guard let mac = SOPSCipher.Text(written), mac.type == "str" else { throw .notSOPS }
    self.mac = mac
    lastModified = String(decoding: modified, as: UTF8.self)
    guard Moment(lastModified) != nil else { throw .notSOPS }
    // A key in several groups is split among them.
    guard text.metadata("key_groups/0/age/0/enc") == nil,
      text.metadata("shamir_threshold").map({ $0 == [0x30] }) ?? true
    else { throw AccessFailure(.unreadable, "SOPS files with key groups are not supported.") }
    version = SOPSVersion(text.metadata("version") ?? [])
    rules = try SOPSRules { text.metadata($0) }
    macOnlyEncrypted = text.metadata("mac_only_encrypted").map { $0.elementsEqual("true".utf8) } ?? false
    var keys: [[UInt8]] = []
    while keys.count < Self.mostKeys, let key = text.metadata("age/\(keys.count)/enc") { keys.append(key) }
    keys.removeAll { $0.count > Self.longestKey }
    guard !keys.isEmpty else {
      throw AccessFailure(
        .unreadable, "The SOPS file has no age recipient, and keys of other kinds are not supported.",
        hint: "Add one: sops rotate -i --add-age RECIPIENT FILE")
    }
    self.keys = keys
  }

  /// The cipher with the data key, decrypted by any of the identities.
  func cipher(_ identities: AgeIdentities) throws(AccessFailure) -> SOPSCipher {
    var failure = AccessFailure.notSOPS
    for key in keys {
      do throws(AccessFailure) {
        guard let cipher = SOPSCipher(try identities.decrypt(key)) else { throw .notSOPS }
        return cipher
      } catch {
        // A recipient of another kind than X25519 is one of several.
        if failure.kind != .denied { failure = error }
      }
    }
    throw failure
  }
}

extension AccessFailure {
  static let notSOPS = AccessFailure(.unreadable, "The metadata of SOPS is damaged.")
}
