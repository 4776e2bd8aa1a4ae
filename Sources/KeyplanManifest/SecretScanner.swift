/// Finds secrets by their literal prefixes.
struct SecretScanner: Sendable {
  private struct Prefix: Sendable {
    let bytes: [UInt8]
    let least: Int
  }

  /// By first byte.
  private let prefixes: [[Prefix]]

  init(_ prefixes: [String: Int]) {
    var table = [[Prefix]](repeating: [], count: 256)
    for (text, least) in prefixes {
      let bytes = Array(text.utf8)
      if let first = bytes.first { table[Int(first)].append(Prefix(bytes: bytes, least: least)) }
    }
    self.prefixes = table
  }

  /// The ranges of secrets, in order. A secret begins at the start of a word and extends to the word's end.
  func hits(in bytes: [UInt8]) -> [Range<Int>] {
    bytes.withUnsafeBufferPointer { bytes in
      var hits: [Range<Int>] = []
      var index = 0
      var wordBefore = false
      while index < bytes.count {
        let byte = bytes[index]
        if !wordBefore, let end = end(of: bytes, from: index) {
          hits.append(index..<end)
          index = end
          wordBefore = true
        } else {
          wordBefore = byte.isAlphanumeric
          index += 1
        }
      }
      return hits
    }
  }

  private func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    for prefix in prefixes[Int(bytes[start])] {
      let body = start + prefix.bytes.count
      guard body + prefix.least <= bytes.count, bytes[start..<body].elementsEqual(prefix.bytes) else { continue }
      var end = body
      while end < bytes.count, bytes[end].isKeyLike { end += 1 }
      if end - body >= prefix.least { return end }
    }
    return nil
  }
}

extension UInt8 {
  var isDigit: Bool { 0x30 <= self && self <= 0x39 }
  var isLower: Bool { 0x61 <= self && self <= 0x7A }
  var isUpper: Bool { 0x41 <= self && self <= 0x5A }
  var isAlphanumeric: Bool { isDigit || isLower || isUpper }
  var isKeyLike: Bool { isAlphanumeric || self == UInt8(ascii: "_") || self == UInt8(ascii: "-") }
}
