/// Reads a header line by line; lines end with LF only.
struct HeaderLines {
  private let file: [UInt8]
  private let limit: Int
  /// The position after the last line read.
  private(set) var position = 0
  /// The number of the last line read, from 1.
  private(set) var number = 0

  init(_ file: [UInt8], limit: Int) {
    self.file = file
    self.limit = min(file.count, limit)
  }

  /// The next line without its line feed.
  mutating func next() throws(AgeError) -> ArraySlice<UInt8> {
    number += 1
    guard let end = file[position..<limit].firstIndex(of: UInt8(ascii: "\n")) else {
      throw .header(limit < file.count ? .tooLong : .truncated, line: number)
    }
    defer { position = end + 1 }
    return file[position..<end]
  }
}
