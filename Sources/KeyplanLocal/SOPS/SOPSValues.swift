import Crypto
import KeyplanApply
import KeyplanCore
import KeyplanDocuments
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
    for (leaf, document) in leaves {
      let names = leaf.names
      guard let isEncrypted = metadata.rules.encrypts(names) else {
        throw AccessFailure(.unreadable, "The rule of the SOPS file takes too long to compare.")
      }
      let value: SecretBox
      if isEncrypted {
        // SOPS leaves null and empty strings as they are.
        if leaf.isPlain, type(of: text).canonical(plain: leaf.text) == nil { continue }
        if leaf.text.isEmpty {
          value = SecretBox([])
        } else {
          guard let written = SOPSCipher.Text(leaf.text), let opened = cipher.open(written, at: Self.place(of: names))
          else {
            throw AccessFailure(
              .unreadable, "A value of the SOPS file is not encrypted, was changed, or was moved from another place.")
          }
          value = opened
        }
      } else {
        guard let bytes = leaf.isPlain ? type(of: text).canonical(plain: leaf.text) : leaf.text else { continue }
        value = SecretBox(bytes)
      }
      if isEncrypted || !metadata.macOnlyEncrypted { value.withBytes { hash.update(bufferPointer: $0) } }
      if document == 0 { values[leaf.pointer] = value }
    }
    let digits = Array("0123456789ABCDEF".utf8)
    let mac = hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    (self.values, self.mac) = (values, SecretBox(mac))
  }

  /// What a value is bound to; list elements are bound to their list.
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
