internal import KeyplanSecrets

/// Searches a text that arrives in pieces. It holds no more of it than the longest spelling and one block, in memory that
/// is wiped.
///
/// Each place where a spelling begins is reported once, with the longest one there, in the order of the text. Matches can
/// overlap.
package struct KnownValueScan: ~Copyable {
  private let known: KnownValues
  /// The bytes that have arrived and were not searched yet.
  private let memory: UnsafeMutableRawBufferPointer
  private var filled = 0
  /// The offset of the memory in the text.
  private var start = 0

  private static let block = 64 << 10

  package init(_ known: KnownValues) {
    self.known = known
    memory = .allocate(byteCount: known.longest + Self.block, alignment: 1)
  }

  deinit {
    zero(memory)
    memory.deallocate()
  }

  /// Takes the next piece, of any length.
  package mutating func read(_ piece: UnsafeRawBufferPointer, _ found: (KnownValues.Match) -> Void) {
    guard !known.isEmpty else { return }
    var rest = piece[...]
    while !rest.isEmpty {
      let part = rest.prefix(memory.count - filled)
      UnsafeMutableRawBufferPointer(rebasing: memory[filled...]).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: part))
      filled += part.count
      rest = rest.dropFirst(part.count)
      // Where the longest spelling may go on in the next piece, nothing is decided yet.
      search(upTo: filled - known.longest + 1, found)
    }
  }

  /// The text is at its end.
  package mutating func finish(_ found: (KnownValues.Match) -> Void) {
    search(upTo: filled, found)
  }

  /// Searches for spellings that begin before `end`, and forgets the text before it.
  private mutating func search(upTo end: Int, _ found: (KnownValues.Match) -> Void) {
    guard end > 0 else { return }
    let bytes = UnsafeRawBufferPointer(rebasing: memory[..<filled])
    let window = known.limits.shortest
    if filled >= window {
      var hash = WindowHash(count: window)
      for byte in bytes[..<window] { hash.add(byte) }
      var offset = 0
      while true {
        if let match = known.match(at: offset, hash: hash.value, in: bytes, available: filled) {
          found(
            KnownValues.Match(offset: start + offset, count: match.count, value: match.value, form: match.form))
        }
        offset += 1
        guard offset < end, offset + window <= filled else { break }
        hash.remove(bytes[offset - 1])
        hash.add(bytes[offset + window - 1])
      }
    }
    // memmove, since the two overlap.
    UnsafeMutableRawBufferPointer(rebasing: memory[..<(filled - end)]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: bytes[end...]))
    filled -= end
    start += end
  }
}
