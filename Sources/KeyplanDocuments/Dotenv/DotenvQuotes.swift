/// The quoting of a value in a dotenv file. Each form is used only for what all parsers agree on: see
/// ``DotenvDocument``.
enum DotenvQuotes: CaseIterable {
  case none, single, double

  /// The form for `value`: the existing one if it can represent the value, else the first that can.
  static func holding(_ value: some BidirectionalCollection<UInt8>, preferring present: Self) -> Self {
    present.canHold(value) ? present : allCases.first { $0.canHold(value) } ?? .double
  }

  private func canHold(_ value: some BidirectionalCollection<UInt8>) -> Bool {
    switch self {
    case .none:
      return !value.isEmpty && value.allSatisfy { $0.isLetter || $0.isDigit || "_-+./:,@%=".utf8.contains($0) }
    case .single:
      // python-dotenv interprets `\\` and `\'` as escapes even here.
      return !value.contains { $0 == .apostrophe || $0 == .carriageReturn } && value.last != .backslash
        && !zip(value, value.dropFirst()).contains { $0 == .backslash && $1 == .backslash }
    case .double:
      return !value.contains { $0 == .dollar || $0 == .backtick || $0 == .carriageReturn }
    }
  }

  /// `value` as it is written in the file.
  func around(_ value: [UInt8]) -> [UInt8] {
    switch self {
    case .none: return value
    case .single: return [.apostrophe] + value + [.apostrophe]
    case .double:
      var written: [UInt8] = [.quote]
      for byte in value {
        switch byte {
        // A raw carriage return would be read as a line end. A line feed is kept, because shells do not interpret `\n`.
        case .carriageReturn: written += [.backslash, UInt8(ascii: "r")]
        case .quote, .backslash, .dollar, .backtick: written += [.backslash, byte]
        default: written.append(byte)
        }
      }
      return written + [.quote]
    }
  }

  /// The value of the source text `written`.
  func read(_ written: ArraySlice<UInt8>) -> [UInt8] {
    if self == .none { return Array(written) }
    var value: [UInt8] = []
    value.reserveCapacity(written.count)
    var rest = written.dropFirst().dropLast()[...]
    while let byte = rest.popFirst() {
      if byte == .carriageReturn { continue }  // always followed by a line feed: see DotenvScanner
      guard self == .double, byte == .backslash, let escaped = rest.first.flatMap(Self.escaped) else {
        value.append(byte)
        continue
      }
      rest.removeFirst()
      value.append(escaped)
    }
    return value
  }

  private static func escaped(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"): .lineFeed
    case UInt8(ascii: "r"): .carriageReturn
    case UInt8(ascii: "t"): .tab
    case .quote, .backslash, .dollar, .backtick: byte
    default: nil
    }
  }
}
