internal import Crypto

/// SHA-256 of bytes that are not secret: parts of a page.
package enum ContentDigest {
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
}
