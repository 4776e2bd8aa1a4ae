/// `VariableFamilies` as one text with lists of its patterns, so that a name is compared with few of them. It is made at each start that
/// needs it, in one pass and a few allocations.
struct VariableTable: Sendable {
  static let shared = VariableTable(VariableFamilies.all)

  /// The kind of the patterns in a list.
  private enum List: Int, CaseIterable {
    /// No `*`: all with the same hash.
    case exact
    /// All that begin with the same letter.
    case beginning
    /// All that begin with `*` and end with the same letter.
    case ending
    /// All that begin and end with `*`.
    case anywhere
    /// Endings of credentials by their last letter.
    case credential
    /// Endings of names outside a group's `unlessSecret`, by their last letter.
    case secret
  }

  /// A pattern: the text before its first `*`, the text after its last one, and the text in between.
  private struct Pattern {
    let text: Range<Int>
    let head: Int
    let tail: Int
    /// The number of bytes of the shortest match.
    let minimum: Int
    let exceptsSecrets: Bool
    let risk: VariableName.Risk
    /// The next one of its list; negative for the last one.
    var next: Int16 = -1
  }

  private var text: [UInt8] = []
  private var patterns: [Pattern] = []
  /// The first pattern of each list.
  private var first = [Int16](repeating: -1, count: 256 * List.allCases.count)

  private static let star = UInt8(ascii: "*")

  init(_ families: [VariableFamilies]) {
    text.reserveCapacity(8192)
    patterns.reserveCapacity(640)
    var last = first
    for family in families {
      add(family.names, family.risk, &last)
      add(family.unlessSecret, exceptsSecrets: true, family.risk, &last)
    }
    for ending in VariableFamilies.credentialEndings { add("*" + ending, in: .credential, &last) }
    for ending in VariableFamilies.secretEndings { add("*" + ending, in: .secret, &last) }
  }

  private mutating func add(
    _ names: String, exceptsSecrets: Bool = false, _ risk: VariableName.Risk = .programs, in list: List? = nil,
    _ last: inout [Int16]
  ) {
    var names = names
    names.withUTF8 { bytes in
      var start = text.count
      for byte in bytes {
        if byte > 0x20 {
          text.append(byte)
        } else if start < text.count {
          end(start..<text.count, exceptsSecrets, risk, list, &last)
          start = text.count
        }
      }
      if start < text.count { end(start..<text.count, exceptsSecrets, risk, list, &last) }
    }
  }

  private mutating func end(
    _ range: Range<Int>, _ exceptsSecrets: Bool, _ risk: VariableName.Risk, _ given: List?, _ last: inout [Int16]
  ) {
    var (head, tail, stars) = (0, 0, 0)
    for index in range {
      if text[index] == Self.star {
        stars += 1
        tail = 0
      } else if stars == 0 {
        head += 1
      } else {
        tail += 1
      }
    }
    let list: List
    let key: UInt8
    switch (given, stars, head, tail) {
    case (let given?, _, _, _): (list, key) = (given, text[range.upperBound - 1])
    case (nil, 0, _, _):
      (list, key) = (.exact, Self.hash(text[range.lowerBound], text[range.upperBound - 1], range.count))
    case (nil, _, 1..., _): (list, key) = (.beginning, text[range.lowerBound])
    case (nil, _, _, 1...): (list, key) = (.ending, text[range.upperBound - 1])
    default: (list, key) = (.anywhere, 0)
    }
    let place = Self.place(list, key)
    let index = Int16(patterns.count)
    if last[place] < 0 { first[place] = index } else { patterns[Int(last[place])].next = index }
    last[place] = index
    patterns.append(
      Pattern(
        text: range, head: head, tail: tail, minimum: range.count - stars, exceptsSecrets: exceptsSecrets, risk: risk))
  }

  private static func place(_ list: List, _ key: UInt8) -> Int { list.rawValue << 8 | Int(key) }

  private static func hash(_ first: UInt8, _ last: UInt8, _ count: Int) -> UInt8 {
    first &* 7 &+ last &* 29 &+ UInt8(truncatingIfNeeded: count) &* 83
  }
}

extension VariableTable {
  typealias Name = UnsafeMutableBufferPointer<UInt8>

  func use(of name: some StringProtocol) -> VariableName.Use {
    name.utf8.withContiguousStorageIfAvailable(use(ofBytes:)) ?? Array(name.utf8).withUnsafeBufferPointer(use(ofBytes:))
  }

  private func use(ofBytes bytes: UnsafeBufferPointer<UInt8>) -> VariableName.Use {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { name in
      for (index, byte) in bytes.enumerated() { name[index] = (0x61...0x7A).contains(byte) ? byte & 0xDF : byte }
      return use(of: Name(rebasing: name[..<bytes.count]))
    }
  }

  private func use(of name: Name) -> VariableName.Use {
    guard let first = name.first, let last = name.last else { return .reviewed }
    // A variable that loads programs takes precedence over the family of addresses whose prefix it shares.
    let exact = risk(of: name, .exact, Self.hash(first, last, name.count))
    if exact == .programs { return .permitted(.programs) }
    if let risk = risk(of: name, .beginning, first) ?? exact ?? risk(of: name, .ending, last)
      ?? risk(of: name, .anywhere, 0)
    {
      return .permitted(risk)
    }
    return isCredential(name) ? .free : .reviewed
  }

  /// The effect that the first match in a list has.
  private func risk(of name: Name, _ list: List, _ key: UInt8) -> VariableName.Risk? {
    var index = first[Self.place(list, key)]
    while index >= 0 {
      let pattern = patterns[Int(index)]
      if matches(pattern, name), !pattern.exceptsSecrets || risk(of: name, .secret, name[name.count - 1]) == nil {
        return pattern.risk
      }
      index = pattern.next
    }
    return nil
  }

  private func matches(_ pattern: Pattern, _ name: Name) -> Bool {
    let text = pattern.text
    guard name.count >= pattern.minimum, text.count > pattern.minimum || name.count == pattern.minimum else {
      return false
    }
    // From the end, where names that begin alike differ.
    for index in stride(from: pattern.head - 1, through: 0, by: -1)
    where name[index] != self.text[text.lowerBound + index] { return false }
    for index in 0..<pattern.tail
    where name[name.count - 1 - index] != self.text[text.upperBound - 1 - index] { return false }
    if pattern.head + pattern.tail == pattern.minimum { return true }
    return hasParts(
      text.lowerBound + pattern.head..<text.upperBound - pattern.tail, name, from: pattern.head,
      to: name.count - pattern.tail)
  }

  /// Whether the parts between several `*` are in a part of the name, one after the other.
  private func hasParts(_ parts: Range<Int>, _ name: Name, from start: Int, to end: Int) -> Bool {
    var (part, position) = (parts.lowerBound, start)
    while part < parts.upperBound {
      if text[part] == Self.star {
        part += 1
        continue
      }
      var count = 0
      while part + count < parts.upperBound, text[part + count] != Self.star {
        guard position + count < end else { return false }
        if name[position + count] == text[part + count] {
          count += 1
        } else {
          (position, count) = (position + 1, 0)
        }
      }
      position += count
      part += count
    }
    return true
  }

  /// Whether it ends like a credential, before a number that may follow.
  private func isCredential(_ name: Name) -> Bool {
    var count = name.count
    if (0x30...0x39).contains(name[count - 1]) {
      while count > 0, (0x30...0x39).contains(name[count - 1]) || name[count - 1] == UInt8(ascii: "_") { count -= 1 }
    }
    guard count > 0 else { return false }
    return risk(of: Name(rebasing: name[..<count]), .credential, name[count - 1]) != nil
  }
}
