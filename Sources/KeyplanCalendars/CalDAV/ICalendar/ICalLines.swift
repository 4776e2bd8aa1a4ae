/// The lines of calendar data, unfolded (RFC 5545, section 3.1). A fold may stand within a character, so this is done on
/// bytes.
struct ICalLines: Sequence, IteratorProtocol {
  struct Line {
    let bytes: [UInt8]
    /// Where it begins in the text as it came, from 1.
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

  /// Whether the next line goes on with this one.
  private mutating func takeFold() -> Bool {
    guard place < source.count, source[place] == UInt8(ascii: " ") || source[place] == UInt8(ascii: "\t") else {
      return false
    }
    place += 1
    return true
  }
}
