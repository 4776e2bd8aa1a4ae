import Crypto
import CryptoExtras
import FoundationEssentials
import KeyplanCodecs
import KeyplanSecrets

/// An SSH private key without a passphrase, as `ssh-keygen` or OpenSSL writes it.
struct SSHIdentity: Sendable, Redacted {
  enum Kind: Sendable {
    /// The X25519 private key that corresponds to it.
    case ed25519(Curve25519.KeyAgreement.PrivateKey)
    /// PKCS #1.
    case rsa(SecretBox)
  }

  let kind: Kind
  let publicKey: SSHPublicKey

  static func isPresent(in file: some Collection<UInt8>) -> Bool { file.starts(with: "-----BEGIN ".utf8) }

  /// Parses a PEM file: OpenSSH's format, PKCS #1 or PKCS #8.
  init(pem file: UnsafeRawBufferPointer) throws(KeyFault) {
    let lines = file.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    guard let first = lines.first,
      let last = lines.indices.last, last > 0, lines[last].starts(with: "-----END ".utf8)
    else { throw .sshMalformed }
    let label = String(decoding: first.dropFirst(11).prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)
    let body = lines[1..<last]
    // OpenSSL's own encryption has headers.
    guard label != "ENCRYPTED PRIVATE KEY", !body.contains(where: { $0.contains(UInt8(ascii: ":")) }) else {
      throw .sshEncrypted
    }
    var text: [UInt8] = []
    text.reserveCapacity(file.count)
    defer { text.withUnsafeMutableBytes { zero($0) } }
    for line in body { text.append(contentsOf: line.filter { $0 != 0x20 && $0 != 0x09 }) }
    guard let bytes = Base64.paddedBytes(in: text[...]) else { throw .sshMalformed }
    let content = Secret(bytes)
    self = try content.withBytes { (bytes) throws(KeyFault) in
      switch label {
      case "OPENSSH PRIVATE KEY": try SSHIdentity(openSSH: bytes)
      case "RSA PRIVATE KEY": try SSHIdentity(rsa: bytes)
      case "PRIVATE KEY": try SSHIdentity(pkcs8: bytes)
      default: throw .sshUnsupported
      }
    }
  }

  /// OpenSSH's PROTOCOL.key.
  private init(openSSH bytes: UnsafeRawBufferPointer) throws(KeyFault) {
    let magic = Array("openssh-key-v1\0".utf8)
    guard bytes.starts(with: magic) else { throw .sshMalformed }
    var fields = SSHFields(UnsafeRawBufferPointer(rebasing: bytes[magic.count...]))
    guard try fields.string().elementsEqual("none".utf8) else { throw .sshEncrypted }
    _ = try (fields.string(), fields.string())
    guard try fields.number() == 1 else { throw .sshMalformed }
    let wire = Array(try fields.string())
    var secrets = SSHFields(UnsafeRawBufferPointer(rebasing: try fields.string()))
    guard fields.isAtEnd, try secrets.number() == secrets.number() else { throw .sshMalformed }
    let type = try secrets.string()
    if type.elementsEqual(SSHPublicKey.ed25519.utf8) {
      _ = try secrets.string()
      let key = try secrets.string()
      guard key.count == 64 else { throw .sshMalformed }
      try self.init(seed: UnsafeRawBufferPointer(rebasing: key.prefix(32)), of: Array(key.suffix(32)))
    } else if type.elementsEqual(SSHPublicKey.rsa.utf8) {
      let (n, e, d) = (try secrets.positive(), try secrets.positive(), try secrets.positive())
      _ = try secrets.positive()
      let (p, q) = (try secrets.positive(), try secrets.positive())
      func bytes(_ number: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer { .init(rebasing: number) }
      // Calculates the numbers that PKCS #1 has and this format lacks, and checks that all of them belong together.
      guard
        let key = try? _RSA.Encryption.PrivateKey(n: bytes(n), e: bytes(e), d: bytes(d), p: bytes(p), q: bytes(q))
      else { throw n.count < 256 ? .rsaSize : .sshMalformed }
      try self.init(key, SSHPublicKey(modulus: Array(n), exponent: Array(e)))
    } else {
      throw .sshUnsupported
    }
    _ = try secrets.string()
    try secrets.requirePadding()
    guard publicKey.wire == wire else { throw .sshMalformed }
  }

  private init(rsa der: UnsafeRawBufferPointer) throws(KeyFault) {
    guard let key = try? _RSA.Encryption.PrivateKey(unsafeDERRepresentation: der) else { throw .sshMalformed }
    guard let numbers = try? key.publicKey.getKeyPrimitives() else { throw .sshMalformed }
    try self.init(
      key,
      SSHPublicKey(
        modulus: Array(numbers.modulus.drop { $0 == 0 }), exponent: Array(numbers.publicExponent.drop { $0 == 0 })))
  }

  private init(pkcs8 der: UnsafeRawBufferPointer) throws(KeyFault) {
    // RFC 8410, without the optional fields: version 0, the object identifier of Ed25519, and the seed.
    let edwards: [UInt8] = [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20]
    if der.count == edwards.count + 32, der.starts(with: edwards) {
      let seed = UnsafeRawBufferPointer(rebasing: der[edwards.count...])
      guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { throw .sshMalformed }
      try self.init(seed: seed, of: Array(key.publicKey.rawRepresentation))
    } else {
      try self.init(rsa: der)
    }
  }

  private init(seed: UnsafeRawBufferPointer, of key: [UInt8]) throws(KeyFault) {
    guard let signing = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed),
      signing.publicKey.rawRepresentation.elementsEqual(key)
    else { throw .sshMalformed }
    var hash = Array(SHA512.hash(data: seed))
    defer { hash.withUnsafeMutableBytes { zero($0) } }
    let scalar = hash.withUnsafeBytes {
      try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: UnsafeRawBufferPointer(rebasing: $0.prefix(32)))
    }
    guard let scalar else { throw .sshMalformed }
    kind = .ed25519(scalar)
    publicKey = try SSHPublicKey(ed25519: key)
  }

  private init(_ key: _RSA.Encryption.PrivateKey, _ publicKey: SSHPublicKey) throws(KeyFault) {
    var der = key.derRepresentation
    kind = .rsa(der.withUnsafeBytes { SecretBox(Secret(copying: $0)) })
    der.withUnsafeMutableBytes { zero($0) }
    self.publicKey = publicKey
  }
}
