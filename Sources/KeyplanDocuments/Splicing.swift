/// Copies a text from front to back while replacing some ranges.
struct Splicing {
  private let source: [UInt8]
  private var done = 0
  private(set) var bytes: [UInt8] = []

  init(_ source: [UInt8]) {
    self.source = source
    bytes.reserveCapacity(source.count + 64)
  }

  /// Copies the text before `offset`, except what has been copied or replaced already.
  mutating func copy(to offset: Int) {
    guard done < offset else { return }
    bytes += source[done..<offset]
    done = offset
  }

  mutating func write(_ text: some Sequence<UInt8>) { bytes += text }

  mutating func replace(_ range: Range<Int>, with text: some Sequence<UInt8>) {
    copy(to: range.lowerBound)
    bytes += text
    done = max(done, range.upperBound)
  }

  mutating func cut(_ range: Range<Int>) { replace(range, with: EmptyCollection<UInt8>()) }

  consuming func finish() -> [UInt8] {
    copy(to: source.count)
    return bytes
  }
}
