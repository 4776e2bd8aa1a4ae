/// The quoting of a value in a dotenv file.
///
/// A form is used for a value only if all of ``DotenvReader`` read it as the same value. Where there is no such form, the
/// one is used that a POSIX shell reads, as nothing of the value may become a command there.
enum DotenvQuotes: CaseIterable {
  case none, single, double

  /// The form for `value`: the existing one if all readers agree on it, else the first on which they do.
  static func holding(_ value: some BidirectionalCollection<UInt8>, preferring present: Self) -> Self {
    let content = Content(value)
    if content.isClear(in: present) { return present }
    return allCases.first { content.isClear(in: $0) } ?? (content.fitsSingle ? .single : .double)
  }

  /// The facts that decide about quotes, found in one pass.
  struct Content {
    private(set) var isWord = true
    private(set) var hasApostrophe = false
    private(set) var hasQuote = false
    private(set) var hasBackslash = false
    private(set) var hasTwoBackslashes = false
    private(set) var hasDollar = false
    private(set) var hasBacktick = false
    private(set) var hasLineFeed = false
    private(set) var hasCarriageReturn = false
    /// `="`, by which phpdotenv recognizes a value of several lines.
    private(set) var hasQuotedAssignment = false
    /// `${…}`, which python-dotenv expands in any quotes.
    private(set) var hasVariable = false
    private let last: UInt8?

    init(_ value: some BidirectionalCollection<UInt8>) {
      last = value.last
      var before: UInt8?
      var isOpen = false
      for byte in value {
        if !byte.isLetter, !byte.isDigit, !"_-+./:,@%=".utf8.contains(byte) { isWord = false }
        switch byte {
        case .apostrophe: hasApostrophe = true
        case .quote:
          hasQuote = true
          if before == UInt8(ascii: "=") { hasQuotedAssignment = true }
        case .backslash:
          hasBackslash = true
          if before == .backslash { hasTwoBackslashes = true }
        case .dollar: hasDollar = true
        case .backtick: hasBacktick = true
        case .lineFeed: hasLineFeed = true
        case .carriageReturn: hasCarriageReturn = true
        case UInt8(ascii: "{") where before == .dollar: isOpen = true
        case UInt8(ascii: "}") where isOpen: hasVariable = true
        default: break
        }
        before = byte
      }
    }

    /// Whether all readers read the value in this form unchanged.
    func isClear(in quotes: DotenvQuotes) -> Bool {
      switch quotes {
      case .none: isWord && last != nil
      case .single: fitsSingle && !hasTwoBackslashes && !hasLineFeed && !hasQuotedAssignment
      case .double: fitsDouble && !(hasLineFeed && last == UInt8(ascii: "="))
      }
    }

    /// Whether `'…'` contains the value and ends where it should. python-dotenv reads `\'` as an apostrophe: after a
    /// final backslash it would go on into the next lines.
    var fitsSingle: Bool { !hasApostrophe && !hasCarriageReturn && last != .backslash }

    /// Whether `"…"` contains the value without an escape. Node knows no escape but `\n`, and ends at any quote.
    var fitsDouble: Bool {
      !hasQuote && !hasBackslash && !hasDollar && !hasBacktick && !hasCarriageReturn
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
