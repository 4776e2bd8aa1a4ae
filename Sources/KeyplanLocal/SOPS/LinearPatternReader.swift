/// Reads a `LinearPattern`; nil for an unsupported one.
struct LinearPatternReader {
  private typealias Item = LinearPattern.Item
  private static let deepest = 32
  var rest: ArraySlice<UInt8>
  var foldsCase = false

  mutating func choice(depth: Int) -> LinearPattern.Item? {
    guard depth <= Self.deepest else { return nil }
    var branches: [Item] = []
    repeat {
      var items: [Item] = []
      while let next = rest.first, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
        guard let item = single(depth: depth).flatMap({ repeated($0) }) else { return nil }
        items.append(item)
      }
      branches.append(.sequence(items))
    } while take("|")
    return .choice(branches)
  }

  private mutating func single(depth: Int) -> Item? {
    if take("(") {
      if take("?"), !take(":") { return nil }
      guard let inner = choice(depth: depth + 1), take(")") else { return nil }
      return inner
    }
    if take("^") { return .start }
    if take("$") { return .end }
    if take(".") { return .one(Set(UInt8.min...UInt8.max).subtracting([0x0A])) }
    if take("[") { return characterClass() }
    if take("\\") { return escaped().map { .one($0) } }
    guard let byte = rest.first, !"*+?{}".utf8.contains(byte) else { return nil }
    rest.removeFirst()
    return .one(folded([byte]))
  }

  private mutating func repeated(_ item: Item) -> Item? {
    var (least, most): (Int, Int?)
    if take("*") {
      (least, most) = (0, nil)
    } else if take("+") {
      (least, most) = (1, nil)
    } else if take("?") {
      (least, most) = (0, 1)
    } else if take("{") {
      guard let first = number() else { return nil }
      (least, most) = (first, first)
      if take(",") { most = number() }
      guard take("}"), most.map({ $0 >= first }) ?? true else { return nil }
    } else {
      return item
    }
    _ = take("?")
    guard rest.first.map({ !"*+?{".utf8.contains($0) }) ?? true else { return nil }
    return .times(item, least: least, most: most)
  }

  private mutating func characterClass() -> Item? {
    let isNegated = take("^")
    var set: Set<UInt8> = []
    var isFirst = true
    while isFirst || rest.first != UInt8(ascii: "]") {
      isFirst = false
      guard let low = rest.popFirst() else { return nil }
      // A class in a class, [[:alpha:]], is not supported.
      guard low != UInt8(ascii: "[") || rest.first != UInt8(ascii: ":") else { return nil }
      var members: Set<UInt8> = [low]
      if low == UInt8(ascii: "\\") {
        guard let found = escaped() else { return nil }
        members = found
      }
      if rest.first == UInt8(ascii: "-"), rest.dropFirst().first.map({ $0 != UInt8(ascii: "]") }) ?? false {
        rest.removeFirst()
        guard members.count == 1, let from = members.first, var to = rest.popFirst() else { return nil }
        if to == UInt8(ascii: "\\") {
          guard let found = escaped(), found.count == 1, let byte = found.first else { return nil }
          to = byte
        }
        guard from <= to else { return nil }
        members = Set(from...to)
      }
      set.formUnion(members)
    }
    guard take("]") else { return nil }
    let all = folded(set)
    return .one(isNegated ? Set(UInt8.min...UInt8.max).subtracting(all) : all)
  }

  private mutating func escaped() -> Set<UInt8>? {
    guard let byte = rest.popFirst() else { return nil }
    let digits = Set(UInt8(ascii: "0")...UInt8(ascii: "9"))
    let letters = Set(UInt8(ascii: "a")...UInt8(ascii: "z")).union(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    let words = digits.union(letters).union([UInt8(ascii: "_")])
    let spaces: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20]
    let all = Set(UInt8.min...UInt8.max)
    return switch byte {
    case UInt8(ascii: "d"): digits
    case UInt8(ascii: "D"): all.subtracting(digits)
    case UInt8(ascii: "w"): words
    case UInt8(ascii: "W"): all.subtracting(words)
    case UInt8(ascii: "s"): spaces
    case UInt8(ascii: "S"): all.subtracting(spaces)
    case _ where words.contains(byte): nil
    default: [byte]
    }
  }

  private func folded(_ set: Set<UInt8>) -> Set<UInt8> {
    guard foldsCase else { return set }
    return set.reduce(into: set) { all, byte in
      if (0x41...0x5A).contains(byte) { all.insert(byte + 0x20) }
      if (0x61...0x7A).contains(byte) { all.insert(byte - 0x20) }
    }
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let byte = rest.first, (0x30...0x39).contains(byte), (value ?? 0) < 1000 {
      value = (value ?? 0) * 10 + Int(byte - 0x30)
      rest.removeFirst()
    }
    return value.flatMap { $0 <= 1000 ? $0 : nil }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }
}
