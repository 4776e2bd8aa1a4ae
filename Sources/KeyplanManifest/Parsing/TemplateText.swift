import KeyplanModel

/// The text of a template without values: each place for one is a NUL. A manifest cannot contain NUL.
///
/// Everything is found in one pass: a template can be long, and have thousands of addresses and places.
struct TemplateText {
  private var text: [UInt8] = []
  private var places: [(offset: Int, key: Identifier<Key>, form: Composition.Form)] = []
  /// Whether an address has a password that is not the value of a key.
  private(set) var hasPassword = false
  /// The name of a field, such as `token`, whose value is written into the text.
  private(set) var secretField: String?
  /// The places, from 1, of values that are in an address's password as they are, the first one of each key. The name of an undeclared key
  /// could be a password in braces.
  private(set) var bareInPasswords: [Int] = []

  init(_ composition: Composition) {
    for piece in composition.pieces {
      switch piece {
      case .text(let piece): text += piece.utf8
      case .part(let key, let form):
        places.append((text.count, key, form))
        text.append(0)
      }
    }
    readAddresses()
    readFields()
  }

  private mutating func readAddresses() {
    var seen: Set<Identifier<Key>> = []
    var next = 0
    var index = 0
    while index + 2 < text.count {
      guard text[index] == UInt8(ascii: ":"), text[index + 1] == UInt8(ascii: "/"), text[index + 2] == UInt8(ascii: "/")
      else {
        index += 1
        continue
      }
      let authority = index + 3
      let end = text[authority...].firstIndex { "/?# ".utf8.contains($0) } ?? text.endIndex
      index = end
      guard let at = text[authority..<end].lastIndex(of: UInt8(ascii: "@")),
        let colon = text[authority..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
      else { continue }
      while next < places.count, places[next].offset <= colon { next += 1 }
      let isLiteral = next == places.count || places[next].offset >= at
      if isLiteral { hasPassword = true }
      while next < places.count, places[next].offset < at {
        let place = places[next]
        if place.form == .plain, seen.insert(place.key).inserted { bareInPasswords.append(next + 1) }
        next += 1
      }
    }
  }

  /// `?token=…` in an address, `password=…` also in a connection string. Anywhere else, `token=` may be a word of a language.
  private mutating func readFields() {
    for index in text.indices where text[index] == UInt8(ascii: "=") {
      var start = index
      while start > 0, index - start < 32, Self.isInName(text[start - 1]) { start -= 1 }
      let before = start == 0 ? UInt8(ascii: " ") : text[start - 1]
      let name = String(decoding: text[start..<index], as: UTF8.self).lowercased()
      let names = "?&#".utf8.contains(before) ? SecretField.all : SecretField.passwords
      guard names.contains(name), "?&#; \t,\"'".utf8.contains(before) else { continue }
      let rest = text[(index + 1)...].drop { "'\"".utf8.contains($0) }
      guard let first = rest.first, !"?&#;, \t'\"".utf8.contains(first) else { continue }
      // A place in it makes it the value of a key.
      let stop = rest.first { "\u{0}?&#;, \t'\"".utf8.contains($0) }
      if stop != 0 {
        secretField = name
        return
      }
    }
  }

  private static func isInName(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "_-".utf8.contains(byte) }
}
