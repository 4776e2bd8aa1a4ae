/// The unfolded lines of calendar data (RFC 5545, section 3.1). A fold may split a character, so it is removed from the
/// bytes.
struct ICalLines: Sequence, IteratorProtocol {
  struct Line {
    let bytes: [UInt8]
    /// The number of its first line in the original text, from 1.
    let number: Int
  }

  private let source: [UInt8]
  private var place = 0
  private var number = 1

  init(_ source: [UInt8]) { self.source = source }

  mutating func next() -> Line? {
    guard place < source.count else { return nil }
    let first = number
    var bytes: [UInt8] = []
    repeat {
      let start = place
      while place < source.count, source[place] != UInt8(ascii: "\n") { place += 1 }
      var end = place
      if end > start, source[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      bytes += source[start..<end]
      place += 1
      number += 1
    } while takeFold()
    return Line(bytes: bytes, number: first)
  }

  /// Consumes the start of a continuation line, if the next line is one.
  private mutating func takeFold() -> Bool {
    guard place < source.count, source[place] == UInt8(ascii: " ") || source[place] == UInt8(ascii: "\t") else {
      return false
    }
    place += 1
    return true
  }
}
