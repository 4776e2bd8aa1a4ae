import Crypto
import KeyplanSecrets

/// The 128-bit key of one file, from which the keys of header and payload are derived.
struct FileKey {
  static let size = 16

  private let key: SymmetricKey

  static func generate() -> FileKey { FileKey(key: SymmetricKey(size: .bits128)) }

  private init(key: SymmetricKey) { self.key = key }

  /// Copies the key; nil unless it has the length of one.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.size else { return nil }
    key = SymmetricKey(data: bytes)
  }

  /// Decrypts a stanza's body of 32 bytes; nil if it was encrypted with another wrapping key.
  init?(unwrapping body: [UInt8], with wrappingKey: SymmetricKey) {
    let opened = try? Secret(count: Self.size) { (memory) throws(NotAuthentic) in
      try ChaCha.open(body[...], under: wrappingKey, nonce: ChaCha.zeroNonce, into: memory)
    }
    guard let opened else { return nil }
    key = opened.withBytes { SymmetricKey(data: $0) }
  }

  func wrapped(with wrappingKey: SymmetricKey) throws(AgeError) -> [UInt8] {
    var body: [UInt8] = []
    do {
      try key.withUnsafeBytes { try ChaCha.append($0, under: wrappingKey, nonce: ChaCha.zeroNonce, to: &body) }
    } catch {
      throw .cryptography  // `append` throws nothing else, but swift-crypto's `withUnsafeBytes` is untyped.
    }
    return body
  }

  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // swift-crypto's `withUnsafeBytes` is untyped.
    try key.withUnsafeBytes { bytes in Result { () throws(Failure) in try body(bytes) } }.get()
  }

  /// The HMAC key of the header: HKDF-SHA-256 without salt.
  var headerKey: SymmetricKey {
    HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("header".utf8), outputByteCount: 32)
  }

  func payloadKey(nonce: some Collection<UInt8>) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, salt: Array(nonce), info: Array("payload".utf8), outputByteCount: 32)
  }
}
