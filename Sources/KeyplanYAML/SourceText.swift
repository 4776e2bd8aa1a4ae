/// The bytes of a document, and the conversion of a parser's code point index to a ``Mark``.
struct SourceText {
  let bytes: [UInt8]
  /// The offset of the text: after the byte order mark, if there is one.
  let base: Int
  let isASCII: Bool
  /// A code point and the offset of its first byte. Positions are requested in order, so each lookup is a short walk
  /// from here.
  private var walked: (points: Int, offset: Int)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    base = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    isASCII = bytes.withUnsafeBufferPointer { $0.reduce(0, |) } < 0x80
    walked = (0, base)
  }

  /// The mark of a code point. Line and column, from 0, come from the parser.
  mutating func mark(line: Int, column: Int, points: Int) -> Mark {
    Mark(line: line + 1, column: column + 1, offset: isASCII ? min(points, bytes.count) : offset(ofPoint: points))
  }

  private mutating func offset(ofPoint target: Int) -> Int {
    // libyaml's positions have not been seen to decrease; if one does, start again.
    var (points, offset) = target < walked.points ? (0, base) : walked
    while points < target, offset < bytes.count {
      repeat { offset += 1 } while offset < bytes.count && bytes[offset] & 0xC0 == 0x80
      points += 1
    }
    walked = (points, offset)
    return offset
  }

  /// The mark of a byte, counted from the start: for errors only.
  func mark(at offset: Int) -> Mark {
    var line = 1
    var column = 1
    for index in base..<max(base, min(offset, bytes.count)) {
      switch bytes[index] {
      case Byte.cr where index + 1 < bytes.count && bytes[index + 1] == Byte.lf: break
      case Byte.lf, Byte.cr: (line, column) = (line + 1, 1)
      case 0x80...0xBF: break
      default: column += 1
      }
    }
    return Mark(line: line, column: column, offset: offset)
  }
}

/// The bytes with a meaning in YAML.
enum Byte {
  static let tab = UInt8(ascii: "\t")
  static let lf = UInt8(ascii: "\n")
  static let cr = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let bang = UInt8(ascii: "!")
  static let hash = UInt8(ascii: "#")
  static let percent = UInt8(ascii: "%")
  static let ampersand = UInt8(ascii: "&")
  static let dash = UInt8(ascii: "-")

  static func isBreak(_ byte: UInt8) -> Bool { byte == lf || byte == cr }
  static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
  static func isWhite(_ byte: UInt8) -> Bool { isBlank(byte) || isBreak(byte) }
}
