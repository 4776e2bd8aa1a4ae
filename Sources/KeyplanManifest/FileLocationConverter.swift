import KeyplanModel

/// Converts byte offsets to locations in one pass, for offsets in ascending order.
struct FileLocationConverter {
  private let text: ManifestReader.Text
  private var offset: Int
  private var line = 1
  private var column = 1

  init(_ text: ManifestReader.Text) {
    self.text = text
    // In YAML, a byte order mark has no column.
    offset = text.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  mutating func place(of range: Range<Int>) -> FileLocation {
    advance(to: range.lowerBound)
    let points = text.bytes[range].count { $0 & 0xC0 != 0x80 }
    return FileLocation(file: text.file, line: line, column: column, width: max(1, points))
  }

  private mutating func advance(to target: Int) {
    let bytes = text.bytes
    while offset < target {
      switch bytes[offset] {
      case UInt8(ascii: "\r") where offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "\n"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): (line, column) = (line + 1, 1)
      case 0x80...0xBF: break
      default: column += 1
      }
      offset += 1
    }
  }
}
