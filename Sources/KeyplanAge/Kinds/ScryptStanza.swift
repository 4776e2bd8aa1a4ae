import Crypto
import CryptoExtras
import KeyplanCodecs
import KeyplanSecrets

/// `-> scrypt SALT LOGN`: the file key, encrypted with a key derived from a passphrase.
struct ScryptStanza {
  private let salt: [UInt8]
  /// The base-2 logarithm of scrypt's cost N.
  let workFactor: Int
  private let body: [UInt8]

  static let type = Array("scrypt".utf8)
  /// The work factor that age writes: about a second.
  static let defaultWorkFactor = 18
  /// More would let a hostile file demand more than 1 GiB and 5 seconds: swift-crypto has no limit of its own.
  static let maximumWorkFactor = 20
  private static let label = Array("age-encryption.org/v1/scrypt".utf8)

  init(_ stanza: Stanza) throws(HeaderFault) {
    guard stanza.arguments.count == 3, let salt = Base64.bytes(in: stanza.arguments[1][...]), salt.count == 16,
      stanza.body.count == FileKey.size + ChaCha.tagSize, let first = stanza.arguments[2].first,
      first != UInt8(ascii: "0"),
      stanza.arguments[2].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw .scrypt }
    guard let factor = Int(String(decoding: stanza.arguments[2].prefix(3), as: UTF8.self)),
      factor <= Self.maximumWorkFactor
    else { throw .scryptWork }
    self.salt = salt
    workFactor = factor
    body = stanza.body
  }

  init(wrapping fileKey: FileKey, with passphrase: borrowing Secret, workFactor: Int) throws(AgeError) {
    guard passphrase.count > 0 else { throw .emptyPassphrase }
    var random = SystemRandomNumberGenerator()
    salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    self.workFactor = workFactor
    let key = Self.wrappingKey(passphrase, salt: salt, workFactor: workFactor)
    guard let key else { throw .cryptography }
    body = try fileKey.wrapped(with: key)
  }

  var stanza: Stanza {
    Stanza(arguments: [Self.type, Base64.text(of: salt), Array(String(workFactor).utf8)], body: body)
  }

  /// Nil for another passphrase.
  func fileKey(for passphrase: borrowing Secret) throws(AgeError) -> FileKey? {
    guard passphrase.count > 0 else { throw .emptyPassphrase }
    guard let key = Self.wrappingKey(passphrase, salt: salt, workFactor: workFactor) else { throw .cryptography }
    return FileKey(unwrapping: body, with: key)
  }

  private static func wrappingKey(
    _ passphrase: borrowing Secret, salt: [UInt8], workFactor: Int
  ) -> SymmetricKey? {
    passphrase.withBytes {
      try? KDF.Scrypt.deriveKey(
        from: $0, salt: label + salt, outputByteCount: 32, rounds: 1 << workFactor, blockSize: 8, parallelism: 1)
    }
  }
}
