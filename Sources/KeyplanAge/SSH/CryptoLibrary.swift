import COpenSSL
import KeyplanSecrets

/// OpenSSL's libcrypto, loaded with the first RSA key: nothing else needs it, and works without it.
package enum CryptoLibrary {
  #if os(macOS)
  // Never without a version: macOS aborts a program that loads the system's own.
  private static let files = ["libcrypto.3.dylib", "/opt/homebrew/lib/libcrypto.3.dylib"]
  #else
  private static let files = ["libcrypto.so.3", "libcrypto.so.1.1"]
  #endif

  /// The loader's last error message; nil if libcrypto is loaded.
  private static let fault = load(files)

  /// Loads it.
  package static var isPresent: Bool { fault == nil }

  static func load(_ files: [String]) -> String? {
    var fault: String?
    for file in files {
      fault = keyplan_crypto_load(file).map { String(cString: $0) }
      if fault == nil { return nil }
    }
    return fault
  }

  static func requireLoaded() throws(AgeError) {
    if let fault { throw .libraryMissing(fault) }
  }
}

/// RSA-OAEP with SHA-256 and age's label for SSH keys.
enum RSAOAEP {
  /// "age-encryption.org/v1/ssh-rsa"
  private static let label = "6167652d656e6372797074696f6e2e6f72672f76312f7373682d727361"

  /// - Parameters:
  ///   - der: a public key of PKCS #1
  ///   - size: the bytes of its modulus
  static func encrypt(_ bytes: UnsafeRawBufferPointer, under der: [UInt8], size: Int) throws(AgeError) -> [UInt8] {
    try CryptoLibrary.requireLoaded()
    var sealed = [UInt8](repeating: 0, count: size)
    var count = size
    let isDone = keyplan_rsa_oaep(
      true, der, der.count, label, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &sealed, &count)
    guard isDone, count == size else { throw .cryptography }
    return sealed
  }

  /// Nil if it was not encrypted to this key with this label.
  ///
  /// - Parameter der: a private key of PKCS #1
  static func decrypt(_ sealed: [UInt8], with der: SecretBox, count: Int) throws(AgeError) -> SecretBox? {
    try CryptoLibrary.requireLoaded()
    // As large as the modulus, which libcrypto requires.
    var opened = [UInt8](repeating: 0, count: sealed.count)
    defer { opened.withUnsafeMutableBytes { zero($0) } }
    var found = opened.count
    let isDone = der.withBytes { der in
      keyplan_rsa_oaep(
        false, der.baseAddress?.assumingMemoryBound(to: UInt8.self), der.count, label, sealed, sealed.count, &opened,
        &found)
    }
    guard isDone, found == count else { return nil }
    return opened.withUnsafeBytes { SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: $0[..<count]))) }
  }
}
