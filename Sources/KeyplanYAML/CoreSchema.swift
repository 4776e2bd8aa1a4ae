/// The scalar tags of the core schema.
enum CoreTag: Hashable, Sendable {
  case null, bool, int, float, str
}

/// The meaning of plain scalars: YAML 1.2, section 10.3.2.
///
/// Compares byte by byte: a regular expression for each scalar would cost more than the rest of the parsing.
enum CoreSchema {
  static func resolve(_ text: String) -> Scalar.Resolved {
    guard let first = text.utf8.first else { return .null }
    switch first {
    case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
      UInt8(ascii: "f"), UInt8(ascii: "F"):
      return word(text)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      return number(text) ?? .string(text)
    default:
      return .string(text)
    }
  }

  private static func word(_ text: String) -> Scalar.Resolved {
    switch text {
    case "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE": .bool(true)
    case "false", "False", "FALSE": .bool(false)
    default: .string(text)
    }
  }

  private static func number(_ text: String) -> Scalar.Resolved? {
    let bytes = text.utf8
    if bytes.starts(with: "0o".utf8) { return integer(bytes.dropFirst(2), radix: 8) }
    if bytes.starts(with: "0x".utf8) { return integer(bytes.dropFirst(2), radix: 16) }
    switch text {
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .float(.infinity)
    case "-.inf", "-.Inf", "-.INF": return .float(-.infinity)
    case ".nan", ".NaN", ".NAN": return .float(.nan)
    default: break
    }
    switch shape(of: bytes) {
    case .integer: return Int(text).map { .int($0) } ?? Double(text).map { .float($0) }
    case .real: return Double(text).map { .float($0) }
    case nil: return nil
    }
  }

  /// `[0-7]+` or `[0-9a-fA-F]+`, without the sign that `Int.init` would accept.
  private static func integer(_ digits: Substring.UTF8View, radix: Int) -> Scalar.Resolved? {
    guard !digits.isEmpty else { return nil }
    var value = 0.0
    for byte in digits {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { return nil }
      value = value * Double(radix) + Double(digit)
    }
    return Int(Substring(digits), radix: radix).map { .int($0) } ?? .float(value)
  }

  private enum Shape { case integer, real }

  /// `[-+]? [0-9]+` or `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
  private static func shape(of bytes: String.UTF8View) -> Shape? {
    var rest = bytes[...]
    func sign() { if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() } }
    func digits() -> Int {
      let before = rest.count
      rest = rest.drop { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
      return before - rest.count
    }
    sign()
    let whole = digits()
    if rest.isEmpty { return whole > 0 ? .integer : nil }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      let fraction = digits()
      guard whole + fraction > 0 else { return nil }
    } else if whole == 0 {
      return nil
    }
    if rest.isEmpty { return .real }
    guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") else { return nil }
    rest.removeFirst()
    sign()
    return digits() > 0 && rest.isEmpty ? .real : nil
  }
}
