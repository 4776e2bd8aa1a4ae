import Crypto
import KeyplanCodecs

/// An SSH public key as files are encrypted to it: its type and its wire format.
package struct SSHPublicKey: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The X25519 public key that corresponds to it.
    case ed25519(u: [UInt8])
    /// Modulus and public exponent, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
  }

  let kind: Kind
  let wire: [UInt8]

  static let ed25519 = "ssh-ed25519"
  static let rsa = "ssh-rsa"
  /// Bits of an RSA modulus. More would only cost time.
  private static let sizes = 2048...16384

  /// Parses a line of an authorized_keys or .pub file: type, base64 and an ignored comment.
  init(line: String) throws(KeyFault) {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }),
      let wire = Base64.paddedBytes(in: Array(parts[1].utf8)[...])
    else { throw .sshMalformed }
    try self.init(wire: wire)
    guard parts[0] == type else { throw .sshMalformed }
  }

  init(wire: [UInt8]) throws(KeyFault) {
    self.wire = wire
    // `withUnsafeBytes` of arrays is untyped.
    kind = try wire.withUnsafeBytes { bytes in Result { () throws(KeyFault) in try Self.kind(in: bytes) } }.get()
  }

  private static func kind(in bytes: UnsafeRawBufferPointer) throws(KeyFault) -> Kind {
    var fields = SSHFields(bytes)
    let type = try fields.string()
    let kind: Kind
    if type.elementsEqual(ed25519.utf8) {
      kind = try edwards(Array(fields.string()))
    } else if type.elementsEqual(rsa.utf8) {
      let exponent = Array(try fields.positive())
      kind = try rsa(modulus: Array(fields.positive()), exponent: exponent)
    } else {
      throw .sshUnsupported
    }
    guard fields.isAtEnd else { throw .sshMalformed }
    return kind
  }

  init(ed25519 key: [UInt8]) throws(KeyFault) {
    kind = try Self.edwards(key)
    wire = SSHFields.field(Self.ed25519.utf8) + SSHFields.field(key)
  }

  init(modulus: [UInt8], exponent: [UInt8]) throws(KeyFault) {
    kind = try Self.rsa(modulus: modulus, exponent: exponent)
    wire =
      SSHFields.field(Self.rsa.utf8) + SSHFields.field(positive: exponent) + SSHFields.field(positive: modulus)
  }

  private static func edwards(_ key: [UInt8]) throws(KeyFault) -> Kind {
    guard let u = MontgomeryKey.u(ofEdwards: key) else { throw .sshMalformed }
    return .ed25519(u: u)
  }

  private static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(KeyFault) -> Kind {
    guard let first = modulus.first, let last = modulus.last, last & 1 == 1, let lowest = exponent.last,
      lowest & 1 == 1, exponent.count <= 4, exponent != [1]
    else { throw .sshMalformed }
    guard sizes.contains(modulus.count * 8 - first.leadingZeroBitCount) else { throw .rsaSize }
    return .rsa(modulus: modulus, exponent: exponent)
  }

  private var type: String {
    switch kind {
    case .ed25519: Self.ed25519
    case .rsa: Self.rsa
    }
  }

  /// The first argument of its stanzas: four bytes that select the key.
  var tag: [UInt8] { Base64.text(of: Array(SHA256.hash(data: wire).prefix(4))) }

  /// Without a comment.
  var line: String { "\(type) \(String(decoding: Base64.paddedText(of: wire), as: UTF8.self))" }
}
