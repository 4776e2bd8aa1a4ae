/// One pattern of an ignore file (gitignore(5)): `[!][/]part[/part…][/]`, in which `*`, `?` and `[…]` match within one part
/// of a path, and `**` as a whole part any number of them.
///
/// Patterns come from possibly hostile checkouts, so matching takes time proportional to the pattern times the path.
struct IgnorePattern {
  /// Whether it re-includes files that earlier patterns ignore.
  let isNegated: Bool
  /// Whether it matches directories only.
  private let isForDirectories: Bool
  /// Whether it has no slash, so that it is compared with the last part of a path, at any depth.
  private let isForNames: Bool
  private var parts: [Part] = []

  private enum Part {
    case one(ByteSet)
    /// `*`: any number of bytes but the slash.
    case many
    /// `**` at the end, or where an escaped slash follows: any number of bytes.
    case anything
    /// The next two parts are optional: `**/` matches any number of whole directories.
    case optional
  }

  /// Nil for a comment, an empty line, and a pattern that cannot match anything.
  init?(_ line: some Sequence<UInt8>) {
    var bytes = Self.withoutTrailingSpaces(Array(line.prefix { $0 != 0 }))[...]
    guard let first = bytes.first, first != UInt8(ascii: "#") else { return nil }
    isNegated = first == UInt8(ascii: "!")
    if isNegated { bytes.removeFirst() }
    isForDirectories = bytes.last == .slash
    if isForDirectories { bytes.removeLast() }
    isForNames = !bytes.contains(.slash)
    if bytes.first == .slash { bytes.removeFirst() }
    guard !bytes.isEmpty, parse(Array(bytes)) else { return nil }
  }

  /// - Parameters:
  ///   - path: relative to the directory of the pattern's file, without a slash at either end.
  ///   - steps: the steps that may still be taken, reduced by those that were: one for each byte of the path and part of the pattern. Below
  ///     zero, the answer is meaningless.
  func matches(_ path: ArraySlice<UInt8>, isDirectory: Bool, within steps: inout Int) -> Bool {
    guard isDirectory || !isForDirectories else { return false }
    guard isForNames, let slash = path.lastIndex(of: .slash) else { return matches(path, within: &steps) }
    return matches(path[path.index(after: slash)...], within: &steps)
  }

  /// Follows all possible matches at once.
  private func matches(_ text: ArraySlice<UInt8>, within steps: inout Int) -> Bool {
    steps -= parts.count + 1
    // The prefixes of the pattern that match the text read so far.
    var states = [Bool](repeating: false, count: parts.count + 1)
    states[0] = true
    skipEmpty(&states)
    for byte in text {
      steps -= parts.count + 1
      guard steps >= 0 else { return false }
      var next = [Bool](repeating: false, count: parts.count + 1)
      var isAlive = false
      for (index, part) in parts.enumerated() where states[index] {
        switch part {
        case .one(let set) where set.contains(byte): next[index + 1] = true
        case .many where byte != .slash: next[index] = true
        case .anything: next[index] = true
        case .one, .many, .optional: continue
        }
        isAlive = true
      }
      guard isAlive else { return false }
      states = next
      skipEmpty(&states)
    }
    return states[parts.count]
  }

  /// Adds the states that can be reached without reading a byte.
  private func skipEmpty(_ states: inout [Bool]) {
    for (index, part) in parts.enumerated() where states[index] {
      switch part {
      case .one: break
      case .many, .anything: states[index + 1] = true
      case .optional:
        states[index + 1] = true
        states[index + 3] = true
      }
    }
  }

  private mutating func parse(_ bytes: [UInt8]) -> Bool {
    var index = 0
    // git compares everything before the first special byte literally, and treats the rest as a pattern of its own.
    var isStart = true
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "*"):
        let run = bytes[index...].prefix { $0 == byte }.count
        let (before, rest) = (index, bytes[(index + run)...])
        index += run
        let isWhole = isStart || bytes[before - 1] == .slash
        let isEscapedSlash = rest.starts(with: [.backslash, .slash])
        if isForNames || run == 1 || !isWhole || !(rest.isEmpty || rest.first == .slash || isEscapedSlash) {
          parts.append(.many)
        } else if rest.first == .slash {
          parts += [.optional, .anything, .one(ByteSet(.slash))]
          index += 1
        } else {
          parts.append(.anything)
        }
        isStart = false
        continue
      case UInt8(ascii: "?"):
        parts.append(.one(.all.subtracting(.slash)))
        isStart = false
      case UInt8(ascii: "["):
        guard let (set, end) = ByteSet.bracket(bytes, from: index + 1) else { return false }
        parts.append(.one(set.subtracting(.slash)))
        index = end
        isStart = false
      case .backslash:
        index += 1
        guard index < bytes.count else { return false }
        parts.append(.one(ByteSet(bytes[index])))
        isStart = false
      default: parts.append(.one(ByteSet(byte)))
      }
      index += 1
    }
    return true
  }

  /// Removes trailing spaces, but not one that follows a backslash.
  private static func withoutTrailingSpaces(_ line: [UInt8]) -> [UInt8] {
    var end = 0
    var index = 0
    while index < line.count {
      let isEscaped = line[index] == .backslash
      let counts = line[index] != UInt8(ascii: " ")
      index += isEscaped ? 2 : 1
      if counts { end = min(index, line.count) }
    }
    return Array(line[..<end])
  }
}

/// A set of bytes, as described by `[…]`.
struct ByteSet {
  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  init() {}

  init(_ byte: UInt8) { insert(byte) }

  static let all: ByteSet = {
    var set = ByteSet()
    set.words = (.max, .max, .max, .max)
    return set
  }()

  func contains(_ byte: UInt8) -> Bool {
    let word =
      switch byte >> 6 {
      case 0: words.0
      case 1: words.1
      case 2: words.2
      default: words.3
      }
    return word & 1 << UInt64(byte & 63) != 0
  }

  func subtracting(_ byte: UInt8) -> ByteSet {
    var set = inverted
    set.insert(byte)
    return set.inverted
  }

  private var inverted: ByteSet {
    var set = self
    set.words = (~words.0, ~words.1, ~words.2, ~words.3)
    return set
  }

  private mutating func insert(_ byte: UInt8) {
    let bit: UInt64 = 1 << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: words.0 |= bit
    case 1: words.1 |= bit
    case 2: words.2 |= bit
    default: words.3 |= bit
    }
  }

  /// Reads a bracket expression, starting after its `[`.
  /// - Returns: the set and the index of its `]`; nil if it does not end or names an unknown class.
  static func bracket(_ bytes: [UInt8], from start: Int) -> (ByteSet, end: Int)? {
    var index = start
    var set = ByteSet()
    func at(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }
    let isNegated = at(index) == UInt8(ascii: "!") || at(index) == UInt8(ascii: "^")
    if isNegated { index += 1 }
    // The possible lower bound of a range. A range or a class cannot be one.
    var lower: UInt8?
    repeat {
      guard var byte = at(index) else { return nil }
      if byte == .backslash {
        index += 1
        guard let escaped = at(index) else { return nil }
        byte = escaped
        set.insert(byte)
        lower = byte
      } else if byte == UInt8(ascii: "-"), let first = lower, var last = at(index + 1), last != UInt8(ascii: "]") {
        index += 1
        if last == .backslash {
          index += 1
          guard let escaped = at(index) else { return nil }
          last = escaped
        }
        if first <= last { for byte in first...last { set.insert(byte) } }
        lower = nil
      } else if byte == UInt8(ascii: "["), at(index + 1) == UInt8(ascii: ":") {
        guard let end = bytes[(index + 2)...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
        if end > index + 2, bytes[end - 1] == UInt8(ascii: ":") {
          guard let isMember = characterClass(String(decoding: bytes[(index + 2)..<(end - 1)], as: UTF8.self)) else {
            return nil
          }
          for byte in UInt8.min...0x7f where isMember(byte) { set.insert(byte) }
          index = end
          lower = nil
        } else {
          set.insert(byte)
          lower = byte
        }
      } else {
        set.insert(byte)
        lower = byte
      }
      index += 1
    } while at(index) != UInt8(ascii: "]")
    return (isNegated ? set.inverted : set, index)
  }

  private static func characterClass(_ name: String) -> ((UInt8) -> Bool)? {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    func isLower(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
    func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isUpper(byte) || isLower(byte) }
    return switch name {
    case "alnum": isAlphanumeric
    case "alpha": { isUpper($0) || isLower($0) }
    case "blank": { $0 == 0x20 || $0 == 0x09 }
    case "cntrl": { $0 < 0x20 || $0 == 0x7f }
    case "digit": isDigit
    case "graph": { (0x21...0x7e).contains($0) }
    case "lower": isLower
    case "print": { (0x20...0x7e).contains($0) }
    case "punct": { (0x21...0x7e).contains($0) && !isAlphanumeric($0) }
    case "space": { $0 == 0x20 || (0x09...0x0d).contains($0) }
    case "upper": isUpper
    case "xdigit": { isDigit($0) || (0x41...0x46).contains($0) || (0x61...0x66).contains($0) }
    default: nil
    }
  }
}

extension UInt8 {
  static let slash = UInt8(ascii: "/")
  static let backslash = UInt8(ascii: "\\")
}
