import Crypto
import FoundationEssentials
package import KeyplanSecrets

/// An X25519 private key, `AGE-SECRET-KEY-1…`, which decrypts files encrypted to its recipient.
///
/// Copies share one buffer, which is zeroed with the last reference. Printing, dumping and mirrors reveal nothing of
/// it.
package struct Identity: Sendable, Redacted {
  let privateKey: Curve25519.KeyAgreement.PrivateKey

  private init(_ privateKey: Curve25519.KeyAgreement.PrivateKey) { self.privateKey = privateKey }

  /// A new identity from the system's random source.
  package static func generate() -> Identity { Identity(Curve25519.KeyAgreement.PrivateKey()) }

  /// Parses `AGE-SECRET-KEY-1…`, in upper or lower case, surrounded by nothing but white space.
  ///
  /// - Throws: `AgeError.invalidIdentity`, as line 1.
  package init(parsing text: borrowing Secret) throws(AgeError) {
    self = try text.withBytes { (bytes) throws(AgeError) in try Identity(line: bytes, at: 1) }
  }

  /// Parses an identity file as `age-keygen` writes it: one identity per line, `#` comments, empty lines.
  ///
  /// - Throws: `AgeError.invalidIdentity` for the first line that is not an identity, `.noIdentities` if there are
  ///   none.
  package static func parseFile(_ file: borrowing Secret) throws(AgeError) -> [Identity] {
    try file.withBytes { (bytes) throws(AgeError) in
      var identities: [Identity] = []
      var number = 0
      for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        number += 1
        let content = line.trimmingBlanks()
        if content.isEmpty || content.first == UInt8(ascii: "#") { continue }
        identities.append(try Identity(line: UnsafeRawBufferPointer(rebasing: content), at: number))
      }
      guard !identities.isEmpty else { throw .noIdentities }
      return identities
    }
  }

  private init(line: UnsafeRawBufferPointer, at number: Int) throws(AgeError) {
    do throws(KeyFault) {
      let content = line[...].trimmingBlanks()
      guard !content.starts(with: "ssh-".utf8), !content.starts(with: "-----BEGIN ".utf8) else { throw .ssh }
      let bytes = try Bech32.read(content, prefix: Self.prefix)
      let key = bytes.withBytes { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
      guard let key else { throw .length }
      privateKey = key
    } catch {
      throw .invalidIdentity(error, line: number)
    }
  }

  /// The recipient whose files this identity decrypts.
  package var recipient: Recipient { Recipient(privateKey.publicKey) }

  /// `AGE-SECRET-KEY-1…` without a line feed, for an identity file.
  package func exported() -> Secret {
    // Not to be zeroed here: on Linux these are the key's own bytes, which are zeroed with the last copy.
    Secret(privateKey.rawRepresentation.withUnsafeBytes { Bech32.text(of: $0, prefix: Self.prefix, case: .upper) })
  }

  private static let prefix = "age-secret-key-"
}

extension Slice<UnsafeRawBufferPointer> {
  /// Removes spaces, tabs and line ends at both ends.
  fileprivate func trimmingBlanks() -> Self {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = firstIndex { !isBlank($0) } ?? endIndex
    let end = lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return self[start..<end]
  }
}
