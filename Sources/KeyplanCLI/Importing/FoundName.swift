internal import KeyplanProviders

/// A name of a file that came before the manifest, and what can be said of its value. The value itself is not kept.
struct FoundName {
  /// As a reference names it.
  let name: String
  /// The name as a variable's: a property list's `openAIKey` has the variable `OPEN_AI_KEY`.
  let variable: String
  let look: Look
  /// The providers whose documented format the value has.
  let formats: [String]

  /// What kind of thing a value is.
  enum Look {
    case empty, expanded, number, flag, address, addressWithPassword, text
    /// The name may itself be the rest of a value that a line break tore.
    case torn
  }

  init(_ name: String, _ value: [UInt8], isVariable: Bool, _ index: VariableIndex) {
    self.name = name
    variable = isVariable ? name : Self.variable(String(name.split(separator: "/").last ?? ""))
    look = isVariable && Self.isTorn(name, value) ? .torn : Self.look(value)
    formats = index.providers(fitting: value)
  }

  private static func look(_ value: [UInt8]) -> Look {
    let text = String(decoding: value, as: UTF8.self)
    if value.isEmpty { return .empty }
    if text.hasPrefix("${"), text.hasSuffix("}") { return .expanded }
    if ["true", "false", "yes", "no", "on", "off"].contains(text.lowercased()) { return .flag }
    // Long numbers are account numbers and the like, and some are secrets: their names decide.
    if value.count < 12, value.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e || $0 == 0x2d }) { return .number }
    guard let mark = text.firstRange(of: "://"), text[..<mark.lowerBound].allSatisfy({ $0.isLetter || $0 == "+" })
    else { return .text }
    let authority = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
    let user = authority.lastIndex(of: "@").map { authority[..<$0] }
    return user?.contains(":") == true ? .addressWithPassword : .address
  }

  /// A block of base64 without quotes is read line by line, and its last line, with `=` at its end, as a name.
  private static func isTorn(_ name: String, _ value: [UInt8]) -> Bool {
    guard value.isEmpty || value == [UInt8(ascii: "=")] else { return false }
    return name.utf8.contains(where: \.isCapital) && name.utf8.contains(where: \.isSmall)
  }

  /// `databasePassword`, `database-password` and `DatabasePassword` as `DATABASE_PASSWORD`, `weatherAPIKey` as
  /// `WEATHER_API_KEY`.
  private static func variable(_ name: String) -> String {
    let bytes = Array(name.utf8)
    var variable: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      guard byte.isLetter || byte.isDigit else {
        if variable.last.map({ $0 != UInt8(ascii: "_") }) == true { variable.append(UInt8(ascii: "_")) }
        continue
      }
      let before = index > 0 ? bytes[index - 1] : 0
      let isLastOfCapitals = before.isCapital && index + 1 < bytes.count && bytes[index + 1].isSmall
      if byte.isCapital, before.isSmall || before.isDigit || isLastOfCapitals { variable.append(UInt8(ascii: "_")) }
      variable.append(byte.isSmall ? byte - 0x20 : byte)
    }
    if variable.last == UInt8(ascii: "_") { variable.removeLast() }
    if variable.first?.isDigit == true { variable.insert(UInt8(ascii: "_"), at: 0) }
    return String(decoding: variable, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isCapital: Bool { (0x41...0x5a).contains(self) }
  fileprivate var isSmall: Bool { (0x61...0x7a).contains(self) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isLetter: Bool { isCapital || isSmall }
}
