import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The output of a program on one of its streams. Read by one thread, without waiting.
final class OutputPipe {
  let reader: Int32
  private(set) var isOpen = true
  private var writer: Int32
  private let limit: Int
  private let isCut: Bool
  private var bytes: [UInt8] = []

  /// A program wrote more than the limit.
  struct TooMuch: Error {}

  /// As much as one call reads, and as much as a pipe holds at most by default.
  private static let chunk = 64 << 10

  /// Nil if the system has no more descriptors.
  /// - Parameter isCut: whether bytes beyond the limit are dropped; otherwise they are an error.
  init?(limit: Int, isCut: Bool) {
    guard let (reader, writer) = ClosedOnExec.pipe() else { return nil }
    (self.reader, self.writer, self.limit, self.isCut) = (reader, writer, limit, isCut)
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    // Once, so that no copies of a secret remain in outgrown buffers.
    bytes.reserveCapacity(limit)
  }

  deinit {
    close(reader)
    closeWriter()
    bytes.withUnsafeMutableBytes { zero($0) }
  }

  /// The program's end, until `closeWriter`.
  var programEnd: Int32 { writer }

  /// To be called when the program has it.
  func closeWriter() {
    guard writer >= 0 else { return }
    close(writer)
    writer = -1
  }

  /// Reads the available bytes, up to one chunk.
  /// - Returns: whether there may be more.
  func readChunk() throws(TooMuch) -> Bool {
    guard isOpen else { return false }
    let room = limit - bytes.count
    let count = withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 1) { buffer in
      let count = retrying { read(reader, buffer.baseAddress, buffer.count) }
      if count > 0 { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer.prefix(min(count, room)))) }
      zero(buffer)
      return count
    }
    guard count > 0 else {
      if count == 0 || errno != EAGAIN { isOpen = false }
      return false
    }
    guard count <= room || isCut else { throw TooMuch() }
    return true
  }

  /// Reads the remaining bytes, but does not wait for processes that have outlived the program.
  func readRest() throws(TooMuch) {
    for _ in 0..<InputPipe.limit / Self.chunk where try !readChunk() { return }
  }

  /// All bytes, once.
  func take() -> SecretBox {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return SecretBox(taken)
  }
}
