import Crypto
import KeyplanCodecs
import KeyplanSecrets

/// `-> ssh-ed25519 TAG SHARE` or `-> ssh-rsa TAG`: the file key for an SSH key. The format is age's; C2SP has not specified it.
struct SSHStanza {
  private enum Content {
    case ed25519(share: [UInt8])
    case rsa
  }

  private let tag: [UInt8]
  private let content: Content
  private let body: [UInt8]

  static let types = [SSHPublicKey.ed25519, SSHPublicKey.rsa].map { Array($0.utf8) }

  /// Nil if it is malformed.
  init?(_ stanza: Stanza) {
    guard stanza.arguments.count >= 2, Base64.bytes(in: stanza.arguments[1][...])?.count == 4 else { return nil }
    tag = stanza.arguments[1]
    body = stanza.body
    if stanza.type.elementsEqual(SSHPublicKey.rsa.utf8) {
      guard stanza.arguments.count == 2 else { return nil }
      content = .rsa
    } else {
      guard stanza.arguments.count == 3, let share = Base64.bytes(in: stanza.arguments[2][...]), share.count == 32,
        body.count == FileKey.size + ChaCha.tagSize
      else { return nil }
      content = .ed25519(share: share)
    }
  }

  init(wrapping fileKey: FileKey, for key: SSHPublicKey) throws(AgeError) {
    tag = key.tag
    switch key.kind {
    case .ed25519(let u):
      let ephemeral = Curve25519.KeyAgreement.PrivateKey()
      let share = [UInt8](ephemeral.publicKey.rawRepresentation)
      guard let wrappingKey = Self.wrappingKey(ephemeral.agreement(with: u), share: share, u: u, wire: key.wire) else {
        throw .invalidRecipient(.lowOrder)
      }
      content = .ed25519(share: share)
      body = try fileKey.wrapped(with: wrappingKey)
    case .rsa(let modulus, let exponent):
      content = .rsa
      let der = DER.sequence([modulus, exponent])
      body = try fileKey.withBytes { (bytes) throws(AgeError) in
        try RSAOAEP.encrypt(bytes, under: der, size: modulus.count)
      }
    }
  }

  var stanza: Stanza {
    switch content {
    case .ed25519(let share):
      Stanza(arguments: [Self.types[0], tag, Base64.text(of: share)], body: body)
    case .rsa: Stanza(arguments: [Self.types[1], tag], body: body)
    }
  }

  /// Nil if the stanza is for another key.
  ///
  /// - Throws: `HeaderFault.ssh` if it names this key and does not open, as age does; an error of libcrypto.
  func fileKey(for identity: SSHIdentity, line: Int) throws(AgeError) -> FileKey? {
    guard tag == identity.publicKey.tag else { return nil }
    let opened: FileKey?
    switch (content, identity.kind, identity.publicKey.kind) {
    case (.ed25519(let share), .ed25519(let key), .ed25519(let u)):
      let wrappingKey = Self.wrappingKey(key.agreement(with: share), share: share, u: u, wire: identity.publicKey.wire)
      guard let wrappingKey else { throw .header(.lowOrder, line: line) }
      opened = FileKey(unwrapping: body, with: wrappingKey)
    case (.rsa, .rsa(let der), .rsa(let modulus, _)):
      guard body.count == modulus.count else { throw .header(.ssh, line: line) }
      opened = try RSAOAEP.decrypt(body, with: der, count: FileKey.size).flatMap { $0.withBytes { FileKey($0) } }
    default: return nil
    }
    guard let opened else { throw .header(.ssh, line: line) }
    return opened
  }

  /// A second agreement, with a key that both sides derive from the public key, binds the key to its SSH form.
  private static func wrappingKey(
    _ agreed: Crypto.SharedSecret?, share: [UInt8], u: [UInt8], wire: [UInt8]
  ) -> SymmetricKey? {
    let label = Array("age-encryption.org/v1/ssh-ed25519".utf8)
    let tweak = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: [UInt8]()), salt: wire, info: label, outputByteCount: 32)
    guard let agreed,
      let key = tweak.withUnsafeBytes({ try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }),
      let tweaked = agreed.withUnsafeBytes({ key.agreement(with: Array($0)) })
    else { return nil }
    return tweaked.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: share + u, sharedInfo: label, outputByteCount: 32)
  }
}

/// DER's encoding of a public key of PKCS #1 (RFC 8017, appendix A.1.1).
enum DER {
  /// A sequence of positive integers, each without leading zeros.
  static func sequence(_ numbers: [[UInt8]]) -> [UInt8] {
    element(0x30, numbers.flatMap { element(2, ($0.first ?? 0) >= 0x80 ? [0] + $0 : $0) })
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let size = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
    return [tag] + (content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(size.count)] + size) + content
  }
}
