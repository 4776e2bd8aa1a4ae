import Crypto
import FoundationEssentials
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The subkeys that planning needs. None of them opens a value.
struct PlanningKeys: Sendable {
  let records: SymmetricKey
  let rows: SymmetricKey
  let index: SymmetricKey
  let fingerprints: SymmetricKey
  let plans: SymmetricKey

  fileprivate var all: [(name: String, key: SymmetricKey)] {
    [("meta", records), ("rows", rows), ("idx", index), ("fp", fingerprints), ("plan", plans)]
  }
}

/// The keyring of recipients that can only plan: the subkeys for it, and the public key that verifies the store. An age file,
/// as the keyring for full access is; it states its role, so that neither can take the place of the other.
struct PlanKeyring: Sendable {
  let store: [UInt8]
  let epoch: Int64
  let keys: PlanningKeys
  /// An Ed25519 public key.
  let verifying: [UInt8]

  /// The slot of its file.
  static let slot = "plan"

  init(store: [UInt8], epoch: Int64, keys: PlanningKeys, verifying: [UInt8]) {
    (self.store, self.epoch, self.keys, self.verifying) = (store, epoch, keys, verifying)
  }

  /// Parses `text`, which must be exactly as this version writes it.
  init?(_ text: borrowing Secret) {
    let parsed: Self? = text.withBytes { bytes in
      let pieces = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      guard pieces.count == 39, let store = hexadecimal(pieces[11]), store.count == 16,
        let epoch = Int64(String(decoding: pieces[14].dropFirst().dropLast(), as: UTF8.self)), epoch > 0,
        let verifying = hexadecimal(pieces[17]), verifying.count == 32
      else { return nil }
      var keys: [SymmetricKey] = []
      for index in stride(from: 21, through: 37, by: 4) {
        guard var key = hexadecimal(pieces[index]), key.count == 32 else { return nil }
        keys.append(SymmetricKey(data: key))
        key.withUnsafeMutableBytes { zero($0) }
      }
      return Self(
        store: store, epoch: epoch,
        keys: PlanningKeys(records: keys[0], rows: keys[1], index: keys[2], fingerprints: keys[3], plans: keys[4]),
        verifying: verifying)
    }
    guard let parsed, parsed.text().equals(text) else { return nil }
    self = parsed
  }

  private func text() -> Secret {
    var text = Array(#"{"format":"kp1","role":"plan","store":""#.utf8)
    // Enough for all of it, so that no outgrown buffer with keys remains in memory.
    text.reserveCapacity(1024)
    text.append(hexadecimal: store)
    text.append(contentsOf: #"","epoch":\#(epoch),"verify":""#.utf8)
    text.append(hexadecimal: verifying)
    for (name, key) in keys.all {
      text.append(contentsOf: #"","\#(name)":""#.utf8)
      key.withUnsafeBytes { text.append(hexadecimal: $0) }
    }
    text.append(contentsOf: "\"}\n".utf8)
    return Secret(text)
  }

  func subkeys() -> EpochKeys {
    EpochKeys(keys, verifying: verifying, store: store, epoch: epoch)
  }

  /// The age files for recipients that can only plan, by slot.
  func files(
    for recipients: [AgeRecipient], plugins: any PluginRunning
  ) throws(StoreError) -> [String: [UInt8]] {
    do throws(AgeError) {
      return try RecipientClass.files(Self.slot, of: text(), for: recipients, plugins: plugins)
    } catch {
      throw .notEncrypted("The keyring for planning", error)
    }
  }
}
