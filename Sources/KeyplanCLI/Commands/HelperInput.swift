internal import KeyplanOperations
internal import KeyplanReporting
internal import KeyplanSecrets

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

extension StandardInput {
  /// Reads the request of a program, which can contain a value to store.
  /// - Parameter endsAtEmptyLine: whether an empty line ends it, so that the program may leave the pipe open.
  /// - Throws: beyond the limit.
  static func request(endsAtEmptyLine: Bool = false) throws(Failure) -> SecretBox {
    var bytes: [UInt8] = []
    // Once, so that growing leaves no copy in memory.
    bytes.reserveCapacity(HelperRequest.limit + 4096)
    var chunk = [UInt8](repeating: 0, count: 4096)
    defer { chunk.withUnsafeMutableBytes { zero($0) } }
    while bytes.count <= HelperRequest.limit {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes.append(contentsOf: chunk[..<count])
      if endsAtEmptyLine, bytes.suffix(2) == [0x0A, 0x0A] { break }
    }
    guard bytes.count <= HelperRequest.limit else {
      bytes.withUnsafeMutableBytes { zero($0) }
      throw .requestTooLarge
    }
    return SecretBox(bytes)
  }
}
