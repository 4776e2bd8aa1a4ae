import Crypto
import FoundationEssentials
import KeyplanAge
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The root key of an epoch, and the store to which it belongs. It is stored as an age file, so that `age --decrypt`
/// shows it to every recipient without keyplan.
struct Keyring: Sendable {
  let store: [UInt8]
  let epoch: Int64
  let root: SymmetricKey

  /// The slot for recipients with full access. `passphrase` is reserved for a later slot.
  static let fullSlot = "full"

  /// A keyring for a new store, in its first epoch.
  init() {
    store = SymmetricKey(size: .bits128).withUnsafeBytes { [UInt8]($0) }
    epoch = 1
    root = SymmetricKey(size: .bits256)
  }

  /// A new root key for the next epoch of a store.
  init(after keys: EpochKeys) {
    store = keys.store
    epoch = keys.epoch + 1
    root = SymmetricKey(size: .bits256)
  }

  init(store: [UInt8], epoch: Int64, root: SymmetricKey) {
    self.store = store
    self.epoch = epoch
    self.root = root
  }

  func subkeys() throws(StoreError) -> EpochKeys {
    try EpochKeys(root: root, store: store, epoch: epoch)
  }

  /// Parses `text`, which must be exactly as this version writes it.
  init?(_ text: borrowing Secret) {
    let parsed: Self? = text.withBytes { bytes in
      let pieces = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      guard pieces.count == 15, let store = hexadecimal(pieces[7]), store.count == 16,
        let root = hexadecimal(pieces[13]), root.count == 32,
        let epoch = Int64(String(decoding: pieces[10].dropFirst().dropLast(), as: UTF8.self)), epoch > 0
      else { return nil }
      return Self(store: store, epoch: epoch, root: SymmetricKey(data: root))
    }
    guard let parsed, parsed.text().equals(text) else { return nil }
    self = parsed
  }

  private func text() -> Secret {
    var text = Array(#"{"format":"kp1","store":""#.utf8)
    // Enough for all of it, so that no outgrown buffer with the root key remains in memory.
    text.reserveCapacity(256)
    text.append(hexadecimal: store)
    text.append(contentsOf: #"","epoch":\#(epoch),"root":""#.utf8)
    root.withUnsafeBytes { text.append(hexadecimal: $0) }
    text.append(contentsOf: "\"}\n".utf8)
    return Secret(text)
  }

  /// The age files for all recipients with full access, by slot.
  func files(
    for recipients: [AgeRecipient], plugins: any PluginRunning
  ) throws(StoreError) -> [String: [UInt8]] {
    do throws(AgeError) {
      return try RecipientClass.files(Self.fullSlot, of: text(), for: recipients, plugins: plugins)
    } catch {
      throw .notEncrypted("The keyring", error, hint: "Add a recipient with full access.")
    }
  }
}

func hexadecimal(_ digits: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
  guard digits.count % 2 == 0 else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(digits.count / 2)
  var high: UInt8?
  for digit in digits {
    let value: UInt8
    switch digit {
    case 0x30...0x39: value = digit - 0x30
    case 0x61...0x66: value = digit - 0x57
    default: return nil
    }
    if let first = high { bytes.append(first << 4 | value) }
    high = high == nil ? value : nil
  }
  return bytes
}
