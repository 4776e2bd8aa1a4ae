/// The form of a provider's keys: a declared subset of regular expressions, anchored at both ends, matched in linear time.
///
/// Literals, `\` before a special character, `\w`, `\d`, `.`, classes `[A-Za-z0-9_-]` with ranges, `\w` and `\d`, the
/// repeats `{m}`, `{m,n}`, `?`, and one level of alternatives `(?:a|b)` or `(a|b)`. No `*`, no `+`, no nesting, no
/// back-references: a backtracking engine hangs on `(a+)+`, and a key's length is bounded anyway.
package struct FormatPattern: Hashable, Sendable {
  /// The pattern as written.
  package let text: String
  private let start: [Item]

  private indirect enum Item: Hashable, Sendable {
    case one(ByteSet)
    case choice([[Item]])
    case times(Item, least: Int, most: Int)
  }

  /// An error in a pattern, and its offset.
  package struct Problem: Error, Hashable, Sendable {
    package let fault: Fault
    /// The offset in the pattern, in bytes from 0.
    package let offset: Int
  }

  /// The kinds of errors in a pattern.
  package enum Fault: Hashable, Sendable, CaseIterable {
    /// It has more states than are allowed.
    case tooLarge
    /// A group in a group, one of another kind than `(…)` and `(?:…)`, or one without its end.
    case nestedGroup, unsupportedGroup, openGroup
    /// A class `[^…]`, `[]`, or one without its end.
    case negatedClass, emptyClass, openClass
    /// A range in a class that ends in an escape, or before it begins.
    case escapeInRange, reversedRange
    /// A character with a meaning that is not supported here, or an escape without one.
    case specialCharacter, unsupportedEscape, trailingBackslash
    /// A repeat without a number, or with numbers that are out of order or too large.
    case missingNumber, invalidRepeat
  }

  /// - Throws: `Problem` for anything outside the subset and for patterns of more than 4096 states: characters, classes and
  ///   branches, empty ones too, each as often as it can repeat.
  package init(_ text: String) throws(Problem) {
    var reader = Reader(bytes: Array(text.utf8))
    let items = try reader.sequence(inGroup: false)
    guard Self.states(items) <= 4096 else { throw Problem(fault: .tooLarge, offset: 0) }
    self.text = text
    start = items
  }

  /// Whether the pattern matches all of the bytes. Time grows with the length of the bytes, not with their content. The bytes are read in
  /// place: a copy of a secret would outlive the call.
  package func matches<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool where Bytes.Index == Int {
    var positions: Set<Int> = [bytes.startIndex]
    for item in start where !positions.isEmpty { positions = Self.step(item, positions, bytes) }
    return positions.contains(bytes.endIndex)
  }

  private static func step<Bytes: RandomAccessCollection<UInt8>>(
    _ item: Item, _ positions: Set<Int>, _ bytes: Bytes
  ) -> Set<Int> where Bytes.Index == Int {
    switch item {
    case .one(let set):
      return Set(positions.lazy.filter { $0 < bytes.endIndex && set.contains(bytes[$0]) }.map { $0 + 1 })
    case .choice(let branches):
      return branches.reduce(into: []) { union, branch in
        union.formUnion(branch.reduce(positions) { step($1, $0, bytes) })
      }
    case .times(let inner, let least, let most):
      var now = positions
      for _ in 0..<least where !now.isEmpty { now = step(inner, now, bytes) }
      var all = now
      for _ in least..<most where !now.isEmpty {
        now = step(inner, now, bytes)
        all.formUnion(now)
      }
      return all
    }
  }

  /// The number of states: everything that takes a step in `matches` counts, including an empty branch and a repeat of nothing.
  private static func states(_ items: [Item]) -> Int {
    items.reduce(0) { sum, item in
      switch item {
      case .one: sum + 1
      case .choice(let branches): sum + branches.reduce(0) { $0 + max(1, states($1)) }
      case .times(let inner, _, let most): sum + max(1, most) * states([inner])
      }
    }
  }
}

extension FormatPattern {
  private struct ByteSet: Hashable, Sendable {
    private var words: SIMD4<UInt64> = .zero

    mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
    mutating func insert(_ bytes: ClosedRange<UInt8>) { bytes.forEach { insert($0) } }
    func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0 }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    mutating func sequence(inGroup: Bool) throws(Problem) -> [Item] {
      var items: [Item] = []
      while index < bytes.count, !(inGroup && (at("|") || at(")"))) {
        items.append(try repeated(try single(inGroup: inGroup)))
      }
      return items
    }

    private mutating func single(inGroup: Bool) throws(Problem) -> Item {
      if take("(") {
        guard !inGroup else { throw problem(.nestedGroup) }
        if take("?") { guard take(":") else { throw problem(.unsupportedGroup) } }
        var branches = [try sequence(inGroup: true)]
        while take("|") { branches.append(try sequence(inGroup: true)) }
        guard take(")") else { throw problem(.openGroup) }
        return .choice(branches)
      }
      var set = ByteSet()
      if take("[") {
        guard !at("^") else { throw problem(.negatedClass) }
        guard !at("]") else { throw problem(.emptyClass) }
        while !at("]") { try member(of: &set) }
        index += 1
      } else if take(".") {
        set.insert(0x21...0x7e)
      } else if let special = bytes[index...].first, "*+?{}|)]^$".utf8.contains(special) {
        throw problem(.specialCharacter)
      } else {
        try escaped(into: &set)
      }
      return .one(set)
    }

    private mutating func repeated(_ item: Item) throws(Problem) -> Item {
      if take("?") { return .times(item, least: 0, most: 1) }
      guard take("{") else { return item }
      guard let least = number() else { throw problem(.missingNumber) }
      let most = take(",") ? number() : least
      guard let most, take("}"), least <= most, most <= 4096 else {
        throw problem(.invalidRepeat)
      }
      return .times(item, least: least, most: most)
    }

    private mutating func member(of set: inout ByteSet) throws(Problem) {
      guard index < bytes.count else { throw problem(.openClass) }
      let low = bytes[index]
      try escaped(into: &set)
      guard low != UInt8(ascii: "\\"), at("-"), index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "]")
      else { return }
      let high = bytes[index + 1]
      guard high != UInt8(ascii: "\\") else { throw problem(.escapeInRange) }
      guard low <= high else { throw problem(.reversedRange) }
      set.insert(low...high)
      index += 2
    }

    private mutating func escaped(into set: inout ByteSet) throws(Problem) {
      guard take("\\") else {
        set.insert(bytes[index])
        index += 1
        return
      }
      guard index < bytes.count else { throw problem(.trailingBackslash) }
      switch bytes[index] {
      case UInt8(ascii: "w"):
        for range in [0x30...0x39, 0x41...0x5a, 0x61...0x7a] as [ClosedRange<UInt8>] { set.insert(range) }
        set.insert(UInt8(ascii: "_"))
      case UInt8(ascii: "d"): set.insert(0x30...0x39)
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: throw problem(.unsupportedEscape)
      case let byte: set.insert(byte)
      }
      index += 1
    }

    private mutating func number() -> Int? {
      var value: Int?
      while index < bytes.count, (0x30...0x39).contains(bytes[index]), (value ?? 0) < 100_000 {
        value = (value ?? 0) * 10 + Int(bytes[index] - 0x30)
        index += 1
      }
      return value
    }

    private func at(_ character: Unicode.Scalar) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: character)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard at(character) else { return false }
      index += 1
      return true
    }

    private func problem(_ fault: Fault) -> Problem { Problem(fault: fault, offset: index) }
  }
}
