import Crypto
import KeyplanSecrets

/// STREAM: a 16-byte nonce, then chunks of 64 KiB, each sealed with its number and a flag for the last one.
enum Payload {
  static let nonceSize = 16
  private static let chunkSize = 64 * 1024
  private static let sealedChunkSize = chunkSize + ChaCha.tagSize

  static func append(
    _ plaintext: borrowing Secret, under fileKey: FileKey, to file: inout [UInt8]
  ) throws(AgeError) {
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<nonceSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let key = fileKey.payloadKey(nonce: nonce)
    // An empty plaintext is a single empty chunk.
    let chunks = max(1, (plaintext.count + chunkSize - 1) / chunkSize)
    file.reserveCapacity(file.count + nonceSize + plaintext.count + chunks * ChaCha.tagSize)
    file += nonce
    try plaintext.withBytes { (bytes) throws(AgeError) in
      for chunk in 0..<chunks {
        let start = chunk * chunkSize
        try ChaCha.append(
          UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + chunkSize, bytes.count)]),
          under: key, nonce: Self.nonce(ofChunk: chunk, isLast: chunk == chunks - 1), to: &file)
      }
    }
  }

  static func open(_ payload: ArraySlice<UInt8>, under fileKey: FileKey) throws(AgeError) -> Secret {
    let key = fileKey.payloadKey(nonce: payload.prefix(nonceSize))
    let sealed = payload.dropFirst(nonceSize)
    let chunks = (sealed.count + sealedChunkSize - 1) / sealedChunkSize
    guard chunks > 0 else { throw .payload(.truncated) }
    let lastSize = sealed.count - (chunks - 1) * sealedChunkSize
    guard lastSize >= ChaCha.tagSize else { throw .payload(.truncated) }
    guard chunks == 1 || lastSize > ChaCha.tagSize else { throw .payload(.emptyLastChunk) }
    do throws(NotAuthentic) {
      return try Secret(count: sealed.count - chunks * ChaCha.tagSize) { (memory) throws(NotAuthentic) in
        for chunk in 0..<chunks {
          let isLast = chunk == chunks - 1
          let start = sealed.startIndex + chunk * sealedChunkSize
          let end = isLast ? sealed.endIndex : start + sealedChunkSize
          let target = memory[(chunk * chunkSize)..<(isLast ? memory.count : (chunk + 1) * chunkSize)]
          try ChaCha.open(
            sealed[start..<end], under: key, nonce: nonce(ofChunk: chunk, isLast: isLast),
            into: UnsafeMutableRawBufferPointer(rebasing: target))
        }
      }
    } catch {
      throw .payload(.notAuthentic)
    }
  }

  /// The chunk's number as 11 big-endian bytes, then 1 for the last chunk, else 0.
  private static func nonce(ofChunk chunk: Int, isLast: Bool) -> [UInt8] {
    var nonce: [UInt8] = [0, 0, 0]
    withUnsafeBytes(of: UInt64(chunk).bigEndian) { nonce += $0 }
    nonce.append(isLast ? 1 : 0)
    return nonce
  }
}
