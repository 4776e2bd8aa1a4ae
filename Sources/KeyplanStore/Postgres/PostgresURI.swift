import KeyplanPorts

/// Parses `postgres://user@host:port/database?keyword=value` like libpq (PostgreSQL documentation, 34.1.1.2), with
/// several hosts.
///
/// libpq's own parser is not used: its errors quote what they could not parse, which may be the password.
enum PostgresURI {
  static func parameters(of text: String) throws(StoreError) -> [String: String] {
    guard let scheme = ["postgres://", "postgresql://"].first(where: text.hasPrefix) else {
      throw malformed("it does not begin with postgres://")
    }
    guard !text.utf8.contains(0) else { throw malformed("it has a byte that is zero") }
    let (address, query) = split(text.dropFirst(scheme.count), at: "?")
    let (authority, database) = split(address, at: "/")
    var found: [String: String] = [:]
    if let database, !database.isEmpty { found["dbname"] = try decoded(database) }
    var hosts = authority
    if let mark = authority.lastIndex(of: "@") {
      let (user, password) = split(authority[..<mark], at: ":")
      hosts = authority[authority.index(after: mark)...]
      if !user.isEmpty { found["user"] = try decoded(user) }
      if let password, !password.isEmpty { found["password"] = try decoded(password) }
    }
    if !hosts.isEmpty { try read(hosts, into: &found) }
    for pair in (query ?? "").split(separator: "&") {
      let (keyword, value) = split(pair, at: "=")
      guard let value, !keyword.isEmpty else { throw malformed("one of its options is not KEYWORD=VALUE") }
      found[try decoded(keyword)] = try decoded(value)
    }
    return found
  }

  private static func read(_ hosts: Substring, into found: inout [String: String]) throws(StoreError) {
    var names: [String] = []
    var ports: [String] = []
    for place in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      if place.hasPrefix("[") {
        guard let end = place.firstIndex(of: "]") else { throw malformed("a closing bracket is missing") }
        let rest = place[place.index(after: end)...]
        guard rest.isEmpty || rest.hasPrefix(":") else {
          throw malformed("unexpected text after an address in brackets")
        }
        names.append(String(place[..<end].dropFirst()))
        ports.append(String(rest.dropFirst()))
      } else {
        let (name, port) = split(place, at: ":")
        names.append(try decoded(name))
        ports.append(String(port ?? ""))
      }
    }
    guard ports.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
      throw malformed("a port is not a number")
    }
    found["host"] = names.joined(separator: ",")
    if ports.contains(where: { !$0.isEmpty }) { found["port"] = ports.joined(separator: ",") }
  }

  static func split(_ text: Substring, at mark: Character) -> (Substring, Substring?) {
    guard let index = text.firstIndex(of: mark) else { return (text, nil) }
    return (text[..<index], text[text.index(after: index)...])
  }

  private static func decoded(_ text: Substring) throws(StoreError) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = [rest.next(), rest.next()].compactMap { $0 }
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0 else {
        throw malformed("a % is not followed by two hexadecimal digits")
      }
      bytes.append(value)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed("it is not UTF-8") }
    return text
  }

  /// Percent-encodes text for an address: everything except letters, digits and `-._~`.
  static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func malformed(_ reason: String) -> StoreError {
    StoreError(
      .refused, "The store's address is invalid: \(reason).",
      hint: "Stores are files or PostgreSQL databases, for example postgres://user@host:5432/database?project=NAME.")
  }
}
