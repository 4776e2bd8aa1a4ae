import Crypto
import KeyplanDocuments
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// The decrypted values of a SOPS file, and the MAC over all of them. They are not authentic before the MAC is compared
/// with that of the file.
struct SOPSValues: Redacted {
  /// The values of the first document by JSON Pointer, without those that are null.
  let values: [String: SecretBox]
  /// 128 hexadecimal digits.
  let mac: SecretBox

  /// Decrypts all values.
  init(_ text: any SOPSText, _ metadata: SOPSMetadata, _ cipher: SOPSCipher) throws(AccessFailure) {
    let leaves: [(leaf: DocumentLeaf, document: Int)]
    do throws(DocumentError) {
      leaves = try text.leaves()
    } catch {
      throw AccessFailure(error)
    }
    var hash = SHA512()
    // A MAC of this kind begins with the SHA-256 digest of "sops".
    if metadata.macOnlyEncrypted { hash.update(data: Array(SHA256.hash(data: Array(SOPSNames.metadata.utf8)))) }
    var values: [String: SecretBox] = [:]
    var effort = LinearPattern.effort
    for (leaf, document) in leaves {
      guard let isEncrypted = metadata.rules.encrypts(leaf.names, within: &effort) else {
        throw AccessFailure(.unreadable, "The rule of the SOPS file takes too long to compare.")
      }
      // SOPS does not encrypt nulls, and skips them.
      let plain = leaf.isPlain ? type(of: text).canonical(plain: leaf.text, metadata.version) : leaf.text
      guard let plain else { continue }
      let value = try isEncrypted ? Self.opened(leaf, cipher) : Value(authenticated: plain, shown: leaf.text)
      if isEncrypted || !metadata.macOnlyEncrypted {
        value.authenticated.withBytes { hash.update(bufferPointer: $0) }
      }
      if document == 0 { values[leaf.pointer] = value.shown }
    }
    let digits = Array("0123456789ABCDEF".utf8)
    let mac = hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    (self.values, self.mac) = (values, SecretBox(mac))
  }

  private struct Value {
    /// The bytes that the MAC covers.
    let authenticated: SecretBox
    /// The value as read: booleans are in lower case, numbers as written.
    let shown: SecretBox

    init(authenticated: [UInt8], shown: [UInt8]) {
      (self.authenticated, self.shown) = (SecretBox(authenticated), SecretBox(shown))
    }

    init(_ value: SecretBox, type: String) {
      authenticated = value
      shown =
        type == "bool" ? SecretBox(value.withBytes { $0.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }) : value
    }
  }

  private static func opened(_ leaf: DocumentLeaf, _ cipher: SOPSCipher) throws(AccessFailure) -> Value {
    // SOPS does not encrypt empty strings.
    guard !leaf.text.isEmpty else { return Value(authenticated: [], shown: []) }
    guard let written = SOPSCipher.Text(leaf.text), let value = cipher.open(written, at: place(of: leaf.names)) else {
      throw AccessFailure(
        .unreadable, "A value of the SOPS file is not encrypted, was changed, or was moved from another place.")
    }
    return Value(value, type: written.type)
  }

  /// The place that a value is bound to; list elements are bound to their list.
  static func place(of names: [String]) -> String { names.map { $0 + ":" }.joined() }
}

extension DocumentLeaf {
  /// The names on the way to it, without the indices of lists.
  fileprivate var names: [String] {
    path.compactMap { part in if case .name(let name) = part { name } else { nil } }
  }

  fileprivate var pointer: String {
    NestedName(
      parts: path.map { part in
        switch part {
        case .name(let name): name
        case .index(let index): String(index)
        }
      }
    ).pointer
  }
}
