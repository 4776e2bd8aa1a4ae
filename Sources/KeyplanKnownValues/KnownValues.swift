internal import KeyplanJSON
package import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Values to search for, in all of their spellings at once.
///
/// The first bytes of each spelling are hashed, so that a text is compared only where one may begin: the time does not
/// depend on how many values there are. All memory that depends on a value is wiped with the object.
package final class KnownValues: Sendable {
  package let limits: KnownValueLimits
  /// The number of values that are too short to be searched for.
  package let skipped: Int
  /// The length of the longest spelling, as far as it is compared.
  let longest: Int
  /// The compared bytes of all spellings.
  private let text: SecretBox
  private let patterns: [Pattern]
  /// The first pattern of each hash; a number past the end where there is none.
  private let heads: Table

  private struct Pattern {
    let start: Int
    let count: Int
    /// The position of the value in the list that is searched for.
    let value: Int
    let form: Spelling.Form
    /// The next pattern with the same hash; a number past the end where there is none.
    let next: Int
  }

  /// A spelling that was found.
  package struct Match: Hashable, Sendable {
    /// The offset of its first byte in the text.
    package let offset: Int
    /// The number of its bytes that were compared: all of them, unless the spelling is longer than the limit.
    package let count: Int
    /// The position of the value in the list that is searched for.
    package let value: Int
    package let form: Spelling.Form
  }

  package init(_ values: [SecretBox], within limits: KnownValueLimits) {
    self.limits = limits
    var writer = SecretWriter()
    var found: [(start: Int, count: Int, value: Int, form: Spelling.Form)] = []
    var skipped = 0
    for (index, value) in values.enumerated() {
      let spellings = Spellings(of: value, within: limits).all
      if spellings.isEmpty { skipped += 1 }
      for spelling in spellings {
        let start = writer.count
        spelling.text.withBytes { bytes in
          writer.append(UnsafeRawBufferPointer(rebasing: bytes.prefix(limits.compared)))
        }
        found.append((start, writer.count - start, index, spelling.form))
      }
    }
    let text = writer.finished()
    // Four places for each spelling, so that most hashes of a text meet an empty one.
    var size = 1024
    while size < found.count * 4 { size *= 2 }
    let none = found.count
    let table = Table(size: size, filledWith: none)
    var patterns: [Pattern] = []
    patterns.reserveCapacity(found.count)
    for (index, pattern) in found.enumerated() {
      let hash = text.withBytes { bytes in
        WindowHash.of(UnsafeRawBufferPointer(rebasing: bytes[pattern.start..<pattern.start + limits.shortest]))
      }
      let place = Int(truncatingIfNeeded: hash) & (size - 1)
      patterns.append(
        Pattern(
          start: pattern.start, count: pattern.count, value: pattern.value, form: pattern.form, next: table[place]))
      table[place] = index
    }
    self.text = text
    self.patterns = patterns
    self.skipped = skipped
    heads = table
    longest = found.map(\.count).max() ?? 0
  }

  /// Whether there is anything to search for.
  package var isEmpty: Bool { patterns.isEmpty }

  /// The longest spelling that begins at `offset`, where the text has this hash.
  /// - Parameter available: the end of the text.
  func match(
    at offset: Int, hash: UInt32, in bytes: UnsafeRawBufferPointer, available: Int
  ) -> (count: Int, value: Int, form: Spelling.Form)? {
    var index = heads[Int(truncatingIfNeeded: hash) & (heads.count - 1)]
    guard index < patterns.count else { return nil }
    return text.withBytes { text in
      guard let here = bytes.baseAddress?.advanced(by: offset), let text = text.baseAddress else { return nil }
      var best: Pattern?
      while index < patterns.count {
        let pattern = patterns[index]
        index = pattern.next
        guard pattern.count > best?.count ?? 0, offset + pattern.count <= available,
          memcmp(here, text.advanced(by: pattern.start), pattern.count) == 0
        else { continue }
        best = pattern
      }
      return best.map { ($0.count, $0.value, $0.form) }
    }
  }

  /// All spellings in a whole text.
  package func matches(in text: UnsafeRawBufferPointer) -> [Match] {
    var found: [Match] = []
    var scan = KnownValueScan(self)
    scan.read(text) { found.append($0) }
    scan.finish { found.append($0) }
    return found
  }
}

/// Numbers by hash. Their positions reveal something about values, so they are wiped.
private final class Table: @unchecked Sendable {
  // @unchecked: written only before the object that has it is shared.
  private let memory: UnsafeMutableBufferPointer<UInt32>

  init(size: Int, filledWith number: Int) {
    memory = .allocate(capacity: size)
    memory.initialize(repeating: UInt32(clamping: number))
  }

  deinit {
    zero(UnsafeMutableRawBufferPointer(memory))
    memory.deallocate()
  }

  var count: Int { memory.count }

  subscript(place: Int) -> Int {
    get { Int(memory[place]) }
    set { memory[place] = UInt32(clamping: newValue) }
  }
}

/// A hash of the last bytes of a text that moves on byte by byte.
struct WindowHash {
  private static let base: UInt32 = 16_777_619
  private(set) var value: UInt32 = 0
  /// The weight of the window's first byte.
  private let first: UInt32

  init(count: Int) { first = (1..<max(count, 1)).reduce(1) { power, _ in power &* Self.base } }

  mutating func add(_ byte: UInt8) { value = value &* Self.base &+ UInt32(byte) &+ 1 }

  mutating func remove(_ byte: UInt8) { value = value &- (UInt32(byte) &+ 1) &* first }

  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var hash = WindowHash(count: bytes.count)
    for byte in bytes { hash.add(byte) }
    return hash.value
  }
}
