internal import KeyplanModel
package import KeyplanProviders

/// A name in an imported file with a classification of its value. The value itself is not kept.
package struct FoundName {
  /// As a reference names it.
  package let name: String
  /// The name as a variable's: a property list's `openAIKey` has the variable `OPEN_AI_KEY`.
  package let variable: String
  /// Whether the name itself is that of a variable, as in a dotenv file.
  package let isVariable: Bool
  package let look: Look
  /// Whether the value looks like a key of a service: one long word with digits in it.
  package let isToken: Bool
  /// The providers whose documented format the value has.
  package let formats: [String]

  /// The kind of a value.
  package enum Look {
    case empty, expanded, number, flag, address, email, path, text
    /// An address with a password or a token in it.
    case secretAddress
    /// A private key in PEM.
    case privateKey
    /// A public value: a certificate, a public key, or an identifier that its service calls publishable.
    case published
    /// The name may itself be the rest of a value that a line break tore.
    case torn
  }

  package init(_ name: String, _ value: [UInt8], isVariable: Bool, _ index: VariableIndex) {
    self.name = name
    self.isVariable = isVariable
    // A dotenv file can have names such as `X-API-KEY`, which no shell can set.
    variable =
      !isVariable
      ? Self.variable(of: (try? NestedName(name))?.parts ?? [], index)
      : VariableName.isValid(name) ? name : Self.variable(name)
    isToken = value.count >= 16 && value.contains(where: \.isDigit) && value.allSatisfy(\.isTokenCharacter)
    look = isVariable && Self.isTorn(name, value) ? .torn : Self.look(value)
    formats = index.providers(fitting: value)
  }

  private static func look(_ value: [UInt8]) -> Look {
    let text = String(decoding: value, as: UTF8.self).trimmingBlanks()
    if isNothing(text) { return .empty }
    if isReference(text) { return .expanded }
    if ["true", "false", "yes", "no", "on", "off", "enabled", "disabled"].contains(text.lowercased()) { return .flag }
    if isHost(text) { return .address }
    // Long numbers are account numbers and the like, and some are secrets: their names decide.
    if value.count < 12, value.allSatisfy({ $0.isDigit || $0 == 0x2e || $0 == 0x2d }) { return .number }
    if text.contains("-----BEGIN ") { return text.contains("PRIVATE KEY-----") ? .privateKey : .published }
    if text.hasPrefix("pk_live_") || text.hasPrefix("pk_test_") { return .published }
    if isPath(text) { return .path }
    if let address = address(text) { return address }
    return isEmail(text) ? .email : .text
  }

  /// Placeholders for a missing value.
  private static func isNothing(_ text: Substring) -> Bool {
    ["", "null", "(null)", "nil", "none", "undefined", "\"\"", "''"].contains(text.lowercased())
  }

  /// `$NAME`, `$(command)`, and anything with `${NAME}` in it.
  private static func isReference(_ text: Substring) -> Bool {
    if text.contains("${"), text.contains("}") { return true }
    guard text.hasPrefix("$") else { return false }
    if text.hasPrefix("$("), text.hasSuffix(")") { return true }
    // In small letters it could be a password.
    let name = text.dropFirst().utf8
    return name.first.map { $0.isCapital || $0 == UInt8(ascii: "_") } == true
      && name.allSatisfy { $0.isCapital || $0.isDigit || $0 == UInt8(ascii: "_") }
  }

  /// `127.0.0.1`, `::1`, `localhost`, each also with a port.
  private static func isHost(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isHexadecimal = text.utf8.allSatisfy {
      $0.isDigit || "abcdefABCDEF:[]".utf8.contains($0)
    }
    if parts.count > 2 { return isHexadecimal }
    guard parts.count == 1 || UInt16(parts[1]) != nil else { return false }
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    return parts[0].lowercased() == "localhost" || numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// The value may be base64, which also has slashes: capitals count as those of a path only if it ends like a file.
  private static func isPath(_ text: Substring) -> Bool {
    guard !text.contains(where: \.isWhitespace) else { return false }
    if ["./", "../", "~/"].contains(where: { text.hasPrefix($0) }) { return true }
    guard text.hasPrefix("/") else { return false }
    let endings = [
      ".pem", ".key", ".crt", ".cer", ".json", ".p8", ".p12", ".pfx", ".txt", ".yml", ".yaml", ".jks", ".sock",
    ]
    return endings.contains { text.hasSuffix($0) }
      || text.utf8.allSatisfy { $0.isSmall || $0.isDigit || "/._-".utf8.contains($0) }
  }

  /// Nil for anything but `scheme://…`, `mailto:` and the like.
  private static func address(_ text: Substring) -> Look? {
    guard let mark = text.firstRange(of: "://"),
      text[..<mark.lowerBound].utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+-.:".utf8.contains($0) })
    else { return nil }
    let rest = text[mark.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let user = authority.lastIndex(of: "@").map({ authority[..<$0] }),
      let colon = user.firstIndex(of: ":"), user.index(after: colon) < user.endIndex
    {
      return .secretAddress
    }
    // The path of these addresses is the credential.
    if authority == "hooks.slack.com" || rest.contains("/api/webhooks/") { return .secretAddress }
    let query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] } ?? ""
    let isSecret = query.split(separator: "&").contains { field in
      let parts = field.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && SecretField.all.contains(parts[0].lowercased())
    }
    return isSecret ? .secretAddress : .address
  }

  private static func isEmail(_ text: Substring) -> Bool {
    let address = text.last == ">" ? text.dropLast().split(separator: "<").last ?? "" : text
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].contains("."), !address.contains(where: \.isWhitespace) else {
      return false
    }
    return parts[1].utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2e || $0 == 0x2d }
  }

  /// A block of base64 without quotes is read line by line, and its last line, with `=` at its end, as a name.
  private static func isTorn(_ name: String, _ value: [UInt8]) -> Bool {
    guard value.isEmpty || value == [UInt8(ascii: "=")] else { return false }
    return name.utf8.contains(where: \.isCapital) && name.utf8.contains(where: \.isSmall)
  }

  /// The name within its dictionary if that is enough, otherwise together with the dictionary's: `api-key` in `Weather` is
  /// `WEATHER_API_KEY`.
  private static func variable(of parts: [String], _ index: VariableIndex) -> String {
    let last = variable(parts.last ?? "")
    guard parts.count > 1, index.provider(of: last) == nil else { return last }
    let section = variable(parts[parts.count - 2])
    return section.isEmpty ? last : section + "_" + last
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

extension String {
  fileprivate func trimmingBlanks() -> Substring {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension UInt8 {
  fileprivate var isCapital: Bool { (0x41...0x5a).contains(self) }
  fileprivate var isSmall: Bool { (0x61...0x7a).contains(self) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isLetter: Bool { isCapital || isSmall }
  fileprivate var isTokenCharacter: Bool { isLetter || isDigit || self == 0x2d || self == 0x2e || self == 0x5f }
}
