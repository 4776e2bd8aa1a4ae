/// The way in which a value is made of the values of other keys: a text with places for them.
package struct Composition: Hashable, Sendable {
  // Stored indirectly: few keys have one, and it would enlarge every key.
  @Indirect private var content: Content

  private struct Content: Hashable {
    let template: String
    let pieces: [Piece]
    let parts: [Identifier<Key>]
  }

  /// The form in which a value is inserted.
  package enum Form: String, Sendable, CaseIterable {
    /// As it is.
    case plain = ""
    /// RFC 3986, section 2: everything but unreserved characters is percent-encoded.
    case url
    /// The content of a JSON string, without the quotes (RFC 8259, section 7).
    case json
    /// RFC 4648, section 4, with padding.
    case base64
  }

  /// A piece of the text.
  package enum Piece: Hashable, Sendable {
    case text(String)
    case part(Identifier<Key>, Form)
  }

  /// The reason that a text is not a template.
  package enum Fault: Error, Hashable, Sendable {
    /// A brace that no other one closes.
    case unclosed
    /// A closing brace without an opening one.
    case unopened
    /// The text in the braces with this number, from 1, is not the name of a key. It could be a value, so it is not part of the error.
    case notAName(place: Int)
    /// The text after the colon is not a form.
    case notAForm(String, place: Int)
    /// It has no place for a value.
    case noPart
    case tooLong
    case tooManyParts
  }

  /// The maximum length of a template and of a value, in bytes.
  package static let byteLimit = 65536
  /// The maximum number of different parts.
  package static let partLimit = 32
  /// The maximum number of composed keys that are made of each other.
  package static let depthLimit = 8

  /// Reads `postgres://app:{db-password:url}@db/app`; `{{` and `}}` are braces.
  package init(_ template: String) throws(Fault) {
    guard template.utf8.count <= Self.byteLimit else { throw .tooLong }
    var pieces: [Piece] = []
    var text: [UInt8] = []
    var places = 0
    var rest = Array(template.utf8)[...]
    func end(_ pieces: inout [Piece], _ text: inout [UInt8]) {
      if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
      text = []
    }
    while let byte = rest.popFirst() {
      switch byte {
      case Self.open where rest.first == Self.open, Self.close where rest.first == Self.close:
        text.append(byte)
        rest.removeFirst()
      case Self.open:
        guard let index = rest.firstIndex(of: Self.close) else { throw .unclosed }
        places += 1
        let (name, form) = try Self.place(String(decoding: rest[..<index], as: UTF8.self), places)
        end(&pieces, &text)
        pieces.append(.part(name, form))
        rest = rest[rest.index(after: index)...]
      case Self.close: throw .unopened
      default: text.append(byte)
      }
    }
    end(&pieces, &text)
    var parts: [Identifier<Key>] = []
    var seen: Set<Identifier<Key>> = []
    for case .part(let key, _) in pieces where seen.insert(key).inserted { parts.append(key) }
    guard !parts.isEmpty else { throw .noPart }
    guard parts.count <= Self.partLimit else { throw .tooManyParts }
    content = Content(template: template, pieces: pieces, parts: parts)
  }

  /// `NAME` or `NAME:FORM`
  private static func place(_ text: String, _ place: Int) throws(Fault) -> (Identifier<Key>, Form) {
    let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = Identifier<Key>(words[0]) else { throw .notAName(place: place) }
    guard words.count > 1 else { return (name, .plain) }
    guard let form = Form(rawValue: String(words[1])), form != .plain else {
      throw .notAForm(String(words[1]), place: place)
    }
    return (name, form)
  }

  private init(_ pieces: [Piece], _ parts: [Identifier<Key>]) {
    let template = pieces.map(\.written).joined()
    content = Content(template: template, pieces: pieces, parts: parts)
  }

  /// The text as written.
  package var template: String { content.template }
  package var pieces: [Piece] { content.pieces }
  /// The keys whose values are inserted, each once, in the order of the text.
  package var parts: [Identifier<Key>] { content.parts }

  /// The number of the first pair of braces, from 1, that has this key; nil if none has it.
  package func place(of part: Identifier<Key>) -> Int? {
    var number = 0
    for case .part(let key, _) in pieces {
      number += 1
      if key == part { return number }
    }
    return nil
  }

  /// The same with other names of parts.
  package func renaming(_ names: [Identifier<Key>: Identifier<Key>]) -> Composition {
    guard parts.contains(where: { names[$0] != nil }) else { return self }
    let pieces = pieces.map { piece -> Piece in
      if case .part(let key, let form) = piece { .part(names[key] ?? key, form) } else { piece }
    }
    return Composition(pieces, parts.map { names[$0] ?? $0 })
  }

  private static let open = UInt8(ascii: "{")
  private static let close = UInt8(ascii: "}")
}

extension Composition.Piece {
  fileprivate var written: String {
    switch self {
    case .text(let text):
      text.unicodeScalars.reduce(into: "") { written, scalar in
        written.unicodeScalars.append(scalar)
        if scalar == "{" || scalar == "}" { written.unicodeScalars.append(scalar) }
      }
    case .part(let key, .plain): "{\(key)}"
    case .part(let key, let form): "{\(key):\(form.rawValue)}"
    }
  }
}

/// `compose: postgres://app:{db-password:url}@db/app`: the canonical text, as the store records it in place of a reference.
extension Composition: CustomStringConvertible {
  /// The canonical text.
  package var description: String { Self.prefix + template }

  /// The composition with this canonical text; nil for any other text. No reference and no address begins like one.
  package init?(canonical text: String) {
    guard text.hasPrefix(Self.prefix), let read = try? Composition(String(text.dropFirst(Self.prefix.count))) else {
      return nil
    }
    self = read
  }

  /// Whether a text is canonical, also one that this version cannot read.
  package static func isCanonical(_ text: String) -> Bool { text.hasPrefix(prefix) }

  private static let prefix = "compose: "
}

extension Composition: Codable {
  /// Reads the template.
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    do {
      self = try Composition(text)
    } catch {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "This is not a template."))
    }
  }

  /// Writes the template.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(template)
  }
}

/// An order of composed keys in which each comes after those that it is made of.
package struct CompositionOrder: Sendable {
  /// Without the keys of circles, and those that are made of them.
  package private(set) var keys: [Identifier<Key>] = []
  /// The number of composed keys on the longest way from each of these keys to one that is not composed; 1 for a key without a composed part.
  package private(set) var depths: [Identifier<Key>: Int] = [:]
  /// Each circle once: every key is made of the next one, and the last one of the first.
  package private(set) var circles: [[Identifier<Key>]] = []

  /// In time proportional to the number of parts, and without recursion: a manifest can have very long chains.
  package init(_ compositions: [Identifier<Key>: Composition]) {
    guard !compositions.isEmpty else { return }
    var waiting: [Identifier<Key>: Int] = [:]
    var users: [Identifier<Key>: [Identifier<Key>]] = [:]
    for (id, composition) in compositions {
      let composed = composition.parts.filter { compositions[$0] != nil }
      waiting[id] = composed.count
      for part in composed { users[part, default: []].append(id) }
    }
    var ready = compositions.keys.filter { waiting[$0] == 0 }.sorted()
    while !ready.isEmpty {
      var next: [Identifier<Key>] = []
      for id in ready {
        keys.append(id)
        waiting[id] = nil
        depths[id] = 1 + (compositions[id]?.parts.compactMap { depths[$0] }.max() ?? 0)
        for user in users[id] ?? [] {
          guard let count = waiting[user] else { continue }
          waiting[user] = count - 1
          if count == 1 { next.append(user) }
        }
      }
      ready = next.sorted()
    }
    findCircles(among: waiting, compositions)
  }

  /// - Parameter left: keys that have at least one part among them.
  private mutating func findCircles(
    among left: [Identifier<Key>: Int], _ compositions: [Identifier<Key>: Composition]
  ) {
    var seen: Set<Identifier<Key>> = []
    for start in left.keys.sorted() where !seen.contains(start) {
      var path: [Identifier<Key>] = []
      var positions: [Identifier<Key>: Int] = [:]
      var id = start
      while seen.insert(id).inserted {
        positions[id] = path.count
        path.append(id)
        guard let next = compositions[id]?.parts.filter({ left[$0] != nil }).min() else { break }
        id = next
      }
      if let position = positions[id], !path.isEmpty { circles.append(Array(path[position...])) }
    }
  }
}

extension KeyFacts {
  /// The way in which the value is made of others; nil if it is not.
  package var composition: Composition? { sources.first.flatMap(Composition.init(canonical:)) }

  /// The same with other names of the keys that the value is made of.
  package func renamingParts(_ names: [Identifier<Key>: Identifier<Key>]) -> KeyFacts {
    guard let composition, case let renamed = composition.renaming(names), renamed != composition else { return self }
    return KeyFacts(
      provider: provider, texts: texts, variable: variable, ownsVariable: ownsVariable, expiry: expiry, issued: issued,
      sources: [renamed.description], isProtected: isProtected, labels: labels, recipients: recipients)
  }
}
