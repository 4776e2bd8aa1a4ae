import Foundation

/// Debian's libcrypto (OpenSSL), an implementation that shares no code with swift-crypto's: BoringSSL. Only what the tests ask for.
struct LibCrypto: @unchecked Sendable {
  // @unchecked: the handle is that of a library, which stays.
  private let handle: UnsafeMutableRawPointer

  typealias Pointer = UnsafeMutableRawPointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias Output = UnsafeMutablePointer<UInt8>

  struct Failed: Error { let call: String }

  init?() {
    guard let handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  private func call<Function>(_ name: String, as type: Function.Type) throws -> Function {
    guard let symbol = dlsym(handle, name) else { throw Failed(call: name) }
    return unsafeBitCast(symbol, to: type)
  }

  private func make(_ name: String) throws -> Pointer {
    guard let made = try call(name, as: (@convention(c) () -> Pointer?).self)() else { throw Failed(call: name) }
    return made
  }

  private func free(_ pointer: Pointer, _ name: String) {
    (try? call(name, as: (@convention(c) (Pointer?) -> Void).self))?(pointer)
  }

  // MARK: Authenticated encryption

  enum Cipher: String {
    case aes256GCM = "EVP_aes_256_gcm"
    case chaCha20Poly1305 = "EVP_chacha20_poly1305"
  }

  private typealias Start = @convention(c) (Pointer, Pointer?, Pointer?, Bytes?, Bytes?) -> Int32
  private typealias Update =
    @convention(c) (Pointer, Output?, UnsafeMutablePointer<Int32>, Bytes?, Int32) -> Int32
  private typealias Final = @convention(c) (Pointer, Output, UnsafeMutablePointer<Int32>) -> Int32
  private typealias Control = @convention(c) (Pointer, Int32, Int32, Pointer?) -> Int32

  /// Ciphertext ‖ tag.
  func seal(
    _ plain: [UInt8], _ cipher: Cipher, key: [UInt8], nonce: [UInt8], data: [UInt8]
  ) throws -> [UInt8] {
    let context = try make("EVP_CIPHER_CTX_new")
    defer { free(context, "EVP_CIPHER_CTX_free") }
    let update = try call("EVP_EncryptUpdate", as: Update.self)
    var (sealed, tag) = ([UInt8](repeating: 0, count: plain.count + 32), [UInt8](repeating: 0, count: 16))
    var (count, rest): (Int32, Int32) = (0, 0)
    guard try call("EVP_EncryptInit_ex", as: Start.self)(context, try make(cipher.rawValue), nil, key, nonce) == 1,
      update(context, nil, &rest, data, Int32(data.count)) == 1,
      update(context, &sealed, &count, plain, Int32(plain.count)) == 1,
      try call("EVP_EncryptFinal_ex", as: Final.self)(context, &sealed + Int(count), &rest) == 1,
      try call("EVP_CIPHER_CTX_ctrl", as: Control.self)(context, 0x10, 16, &tag) == 1
    else { throw Failed(call: "EVP_Encrypt") }
    return Array(sealed[..<Int(count + rest)]) + tag
  }

  /// Nil if it is not authentic.
  func open(
    _ sealed: [UInt8], _ cipher: Cipher, key: [UInt8], nonce: [UInt8], data: [UInt8]
  ) throws -> [UInt8]? {
    let context = try make("EVP_CIPHER_CTX_new")
    defer { free(context, "EVP_CIPHER_CTX_free") }
    let update = try call("EVP_DecryptUpdate", as: Update.self)
    let text = Array(sealed.dropLast(16))
    var (plain, tag) = ([UInt8](repeating: 0, count: text.count + 32), Array(sealed.suffix(16)))
    var (count, rest): (Int32, Int32) = (0, 0)
    guard try call("EVP_DecryptInit_ex", as: Start.self)(context, try make(cipher.rawValue), nil, key, nonce) == 1,
      update(context, nil, &rest, data, Int32(data.count)) == 1,
      update(context, &plain, &count, text, Int32(text.count)) == 1,
      try call("EVP_CIPHER_CTX_ctrl", as: Control.self)(context, 0x11, 16, &tag) == 1
    else { throw Failed(call: "EVP_Decrypt") }
    guard try call("EVP_DecryptFinal_ex", as: Final.self)(context, &plain + Int(count), &rest) == 1 else { return nil }
    return Array(plain[..<Int(count + rest)])
  }

  // MARK: Derivation

  func hmac(_ data: [UInt8], key: [UInt8]) throws -> [UInt8] {
    typealias Function =
      @convention(c) (Pointer, Bytes, Int32, Bytes, Int, Output, UnsafeMutablePointer<UInt32>) -> Pointer?
    var (code, count) = ([UInt8](repeating: 0, count: 64), UInt32(0))
    guard
      try call("HMAC", as: Function.self)(
        try make("EVP_sha256"), key, Int32(key.count), data, data.count, &code, &count) != nil
    else { throw Failed(call: "HMAC") }
    return Array(code[..<Int(count)])
  }

  func hkdf(_ secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) throws -> [UInt8] {
    typealias New = @convention(c) (Int32, Pointer?) -> Pointer?
    typealias Step = @convention(c) (Pointer) -> Int32
    typealias SetHash = @convention(c) (Pointer, Pointer) -> Int32
    typealias SetBytes = @convention(c) (Pointer, Bytes, Int32) -> Int32
    typealias Derive = @convention(c) (Pointer, Output, UnsafeMutablePointer<Int>) -> Int32
    guard let context = try call("EVP_PKEY_CTX_new_id", as: New.self)(1036, nil) else { throw Failed(call: "HKDF") }
    defer { free(context, "EVP_PKEY_CTX_free") }
    func set(_ name: String, _ bytes: [UInt8]) throws -> Bool {
      try call(name, as: SetBytes.self)(context, bytes, Int32(bytes.count)) == 1
    }
    var (key, size) = ([UInt8](repeating: 0, count: count), count)
    guard try call("EVP_PKEY_derive_init", as: Step.self)(context) == 1,
      try call("EVP_PKEY_CTX_set_hkdf_md", as: SetHash.self)(context, try make("EVP_sha256")) == 1,
      try set("EVP_PKEY_CTX_set1_hkdf_salt", salt), try set("EVP_PKEY_CTX_set1_hkdf_key", secret),
      try set("EVP_PKEY_CTX_add1_hkdf_info", info),
      try call("EVP_PKEY_derive", as: Derive.self)(context, &key, &size) == 1, size == count
    else { throw Failed(call: "HKDF") }
    return key
  }

  func scrypt(_ passphrase: [UInt8], salt: [UInt8], cost: UInt64, count: Int) throws -> [UInt8] {
    typealias Function =
      @convention(c) (Bytes, Int, Bytes, Int, UInt64, UInt64, UInt64, UInt64, Output, Int) -> Int32
    var key = [UInt8](repeating: 0, count: count)
    guard
      try call("EVP_PBE_scrypt", as: Function.self)(
        passphrase, passphrase.count, salt, salt.count, cost, 8, 1, 1 << 30, &key, count) == 1
    else { throw Failed(call: "EVP_PBE_scrypt") }
    return key
  }

  // MARK: Curves

  /// `NID_X25519` and `NID_ED25519`.
  private enum Curve: Int32 { case agreement = 1034, signing = 1087 }

  private typealias NewKey = @convention(c) (Int32, Pointer?, Bytes, Int) -> Pointer?

  private func key(_ curve: Curve, private bytes: [UInt8]) throws -> Pointer {
    guard let key = try call("EVP_PKEY_new_raw_private_key", as: NewKey.self)(curve.rawValue, nil, bytes, 32) else {
      throw Failed(call: "EVP_PKEY_new_raw_private_key")
    }
    return key
  }

  private func key(_ curve: Curve, public bytes: [UInt8]) throws -> Pointer {
    guard let key = try call("EVP_PKEY_new_raw_public_key", as: NewKey.self)(curve.rawValue, nil, bytes, 32) else {
      throw Failed(call: "EVP_PKEY_new_raw_public_key")
    }
    return key
  }

  private func publicKey(_ curve: Curve, of bytes: [UInt8]) throws -> [UInt8] {
    typealias Function = @convention(c) (Pointer, Output, UnsafeMutablePointer<Int>) -> Int32
    let own = try key(curve, private: bytes)
    defer { free(own, "EVP_PKEY_free") }
    var (found, count) = ([UInt8](repeating: 0, count: 32), 32)
    guard try call("EVP_PKEY_get_raw_public_key", as: Function.self)(own, &found, &count) == 1 else {
      throw Failed(call: "EVP_PKEY_get_raw_public_key")
    }
    return found
  }

  func agreementKey(of bytes: [UInt8]) throws -> [UInt8] { try publicKey(.agreement, of: bytes) }
  func signingKey(of bytes: [UInt8]) throws -> [UInt8] { try publicKey(.signing, of: bytes) }

  /// Nil for a key of low order.
  func agree(_ own: [UInt8], with other: [UInt8]) throws -> [UInt8]? {
    typealias New = @convention(c) (Pointer, Pointer?) -> Pointer?
    typealias Step = @convention(c) (Pointer) -> Int32
    typealias Peer = @convention(c) (Pointer, Pointer) -> Int32
    typealias Derive = @convention(c) (Pointer, Output, UnsafeMutablePointer<Int>) -> Int32
    let (own, other) = (try key(.agreement, private: own), try key(.agreement, public: other))
    defer {
      free(own, "EVP_PKEY_free")
      free(other, "EVP_PKEY_free")
    }
    guard let context = try call("EVP_PKEY_CTX_new", as: New.self)(own, nil) else { throw Failed(call: "X25519") }
    defer { free(context, "EVP_PKEY_CTX_free") }
    var (secret, count) = ([UInt8](repeating: 0, count: 32), 32)
    guard try call("EVP_PKEY_derive_init", as: Step.self)(context) == 1,
      try call("EVP_PKEY_derive_set_peer", as: Peer.self)(context, other) == 1
    else { throw Failed(call: "X25519") }
    return try call("EVP_PKEY_derive", as: Derive.self)(context, &secret, &count) == 1 ? secret : nil
  }

  private typealias StartSigning = @convention(c) (Pointer, Pointer?, Pointer?, Pointer?, Pointer) -> Int32

  func sign(_ data: [UInt8], with bytes: [UInt8]) throws -> [UInt8] {
    typealias Sign = @convention(c) (Pointer, Output, UnsafeMutablePointer<Int>, Bytes, Int) -> Int32
    let (context, own) = (try make("EVP_MD_CTX_new"), try key(.signing, private: bytes))
    defer {
      free(context, "EVP_MD_CTX_free")
      free(own, "EVP_PKEY_free")
    }
    var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
    guard try call("EVP_DigestSignInit", as: StartSigning.self)(context, nil, nil, nil, own) == 1,
      try call("EVP_DigestSign", as: Sign.self)(context, &signature, &count, data, data.count) == 1
    else { throw Failed(call: "EVP_DigestSign") }
    return signature
  }

  func verify(_ signature: [UInt8], of data: [UInt8], by bytes: [UInt8]) throws -> Bool {
    let other = try key(.signing, public: bytes)
    defer { free(other, "EVP_PKEY_free") }
    return try verify(signature, of: data, by: other, hash: nil)
  }

  /// An RSA signature of PKCS #1 v1.5 with SHA-256. The key is a SubjectPublicKeyInfo in DER.
  func verify(rsa signature: [UInt8], of data: [UInt8], by der: [UInt8]) throws -> Bool {
    typealias Read = @convention(c) (Pointer?, UnsafeMutablePointer<Bytes?>, Int) -> Pointer?
    let read = try call("d2i_PUBKEY", as: Read.self)
    let found = der.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return read(nil, &start, bytes.count)
    }
    guard let found else { throw Failed(call: "d2i_PUBKEY") }
    defer { free(found, "EVP_PKEY_free") }
    return try verify(signature, of: data, by: found, hash: try make("EVP_sha256"))
  }

  private func verify(_ signature: [UInt8], of data: [UInt8], by key: Pointer, hash: Pointer?) throws -> Bool {
    typealias Verify = @convention(c) (Pointer, Bytes, Int, Bytes, Int) -> Int32
    let context = try make("EVP_MD_CTX_new")
    defer { free(context, "EVP_MD_CTX_free") }
    guard try call("EVP_DigestVerifyInit", as: StartSigning.self)(context, nil, hash, nil, key) == 1 else {
      throw Failed(call: "EVP_DigestVerifyInit")
    }
    return try call("EVP_DigestVerify", as: Verify.self)(context, signature, signature.count, data, data.count) == 1
  }
}
