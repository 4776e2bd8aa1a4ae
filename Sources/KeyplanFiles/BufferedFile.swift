#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads a file from its beginning to a given end through a buffer. At the end, every read returns nil or false.
struct BufferedFile: ~Copyable {
  private let file: Descriptor
  private let path: String
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var position = 0
  private var filled = 0
  /// The position in the file at which the buffer ends.
  private var offset = 0
  private let end: Int

  init(_ file: consuming Descriptor, end: Int, path: String) {
    self.file = file
    self.end = end
    self.path = path
  }

  /// The number of bytes before the end.
  var remaining: Int { end - offset + filled - position }

  mutating func byte() throws(FileError) -> UInt8? {
    guard try hasByte() else { return nil }
    defer { position += 1 }
    return buffer[position]
  }

  /// Two bytes, big-endian.
  mutating func short() throws(FileError) -> UInt16? {
    guard let high = try byte(), let low = try byte() else { return nil }
    return UInt16(high) << 8 | UInt16(low)
  }

  /// Four bytes, big-endian.
  mutating func number() throws(FileError) -> UInt32? {
    guard let high = try short(), let low = try short() else { return nil }
    return UInt32(high) << 16 | UInt32(low)
  }

  mutating func skip(_ count: Int) throws(FileError) -> Bool {
    guard count <= remaining else { return false }
    let buffered = min(count, filled - position)
    position += buffered
    offset += count - buffered
    return true
  }

  /// Appends the bytes up to the next NUL and skips the NUL. False if there is no NUL or the result would exceed the
  /// limit.
  mutating func append(to bytes: inout [UInt8], limit: Int) throws(FileError) -> Bool {
    while try hasByte() {
      let rest = buffer[position..<filled]
      let text = rest.firstIndex(of: 0).map { rest[..<$0] } ?? rest
      guard bytes.count + text.count <= limit else { return false }
      bytes += text
      position += text.count
      if position < filled {
        position += 1
        return true
      }
    }
    return false
  }

  /// Refills the buffer if all of it has been read. False at the end, even if the file has become shorter meanwhile.
  private mutating func hasByte() throws(FileError) -> Bool {
    if position < filled { return true }
    let wanted = min(buffer.count, end - offset)
    guard wanted > 0 else { return false }
    let (number, start) = (file.number, off_t(offset))
    let count = try retrying(path) { buffer.withUnsafeMutableBytes { pread(number, $0.baseAddress, wanted, start) } }
    (position, filled) = (0, count)
    offset += count
    return count > 0
  }
}
