package import KeyplanModel
internal import KeyplanPorts
package import KeyplanSecrets

/// The reason that a value cannot be made of others.
package enum CompositionFault: Error, Hashable, Sendable {
  /// The value of this part has a NUL byte.
  case holdsNUL(Identifier<Key>)
  /// The value of this part is not UTF-8.
  case notText(Identifier<Key>)
  /// It would have more bytes than a composed value can have.
  case tooLarge
  /// It would consist of white space only.
  case blank
  /// Recipients that cannot open the value of this part could open it.
  case widerThan(Identifier<Key>)
  /// Recipients that cannot open the value of this part could open a version of the key that is made of it.
  case versionsWiderThan(Identifier<Key>, of: Identifier<Key>)
  /// This part has no value.
  case missing(Identifier<Key>)
}

extension Composition {
  /// The value that is made of these values. Its bytes, and those of its pieces, exist nowhere else.
  /// - Parameter values: those of all parts.
  package func makeSecret(of values: [Identifier<Key>: SecretBox]) throws(CompositionFault) -> SecretBox {
    for part in parts {
      guard let value = values[part] else { throw .missing(part) }
      try Self.check(value, of: part)
    }
    var count = 0
    for piece in pieces {
      let length = Self.length(of: piece, values)
      guard length <= Self.byteLimit - count else { throw .tooLarge }
      count += length
    }
    let secret = SecretBox(
      Secret(count: count) { room in
        var next = 0
        for piece in pieces {
          Self.write(piece, values) { byte in
            room[next] = byte
            next += 1
          }
        }
      })
    switch secret.withBytes({ ValueFault(in: $0) }) {
    case .empty, .blank: throw .blank
    case .tooLarge: throw .tooLarge
    case .holdsNUL, nil: return secret
    }
  }

  private static func check(_ value: SecretBox, of part: Identifier<Key>) throws(CompositionFault) {
    let fault = value.withBytes { bytes -> CompositionFault? in
      if bytes.contains(0) { return .holdsNUL(part) }
      return isText(bytes) ? nil : .notText(part)
    }
    if let fault { throw fault }
  }

  /// Whether bytes are UTF-8, without a copy of them.
  private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    while true {
      switch decoder.decode(&rest) {
      case .scalarValue: continue
      case .emptyInput: return true
      case .error: return false
      }
    }
  }

  private static func length(of piece: Piece, _ values: [Identifier<Key>: SecretBox]) -> Int {
    var count = 0
    write(piece, values) { _ in count += 1 }
    return count
  }

  private static func write(
    _ piece: Piece, _ values: [Identifier<Key>: SecretBox], _ put: (UInt8) -> Void
  ) {
    switch piece {
    case .text(let text): text.utf8.forEach(put)
    case .part(let key, let form):
      guard let value = values[key] else { return }
      switch form {
      case .plain: value.withBytes { $0.forEach(put) }
      case .url: value.withBytes { $0.forEach { writeURL($0, put) } }
      case .json: value.withBytes { $0.forEach { writeJSON($0, put) } }
      case .base64: SecretBase64.text(of: value).withBytes { $0.forEach(put) }
      }
    }
  }

  /// RFC 3986, sections 2.1 and 2.3: valid in each component of an address.
  private static func writeURL(_ byte: UInt8, _ put: (UInt8) -> Void) {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      put(byte)
    default:
      put(UInt8(ascii: "%"))
      put(digit(byte >> 4, UInt8(ascii: "A")))
      put(digit(byte & 15, UInt8(ascii: "A")))
    }
  }

  /// RFC 8259, section 7: only what must be escaped is.
  private static func writeJSON(_ byte: UInt8, _ put: (UInt8) -> Void) {
    func escape(_ letter: Unicode.Scalar) {
      put(UInt8(ascii: "\\"))
      put(UInt8(ascii: letter))
    }
    switch byte {
    case UInt8(ascii: "\""): escape("\"")
    case UInt8(ascii: "\\"): escape("\\")
    case UInt8(ascii: "\n"): escape("n")
    case UInt8(ascii: "\r"): escape("r")
    case UInt8(ascii: "\t"): escape("t")
    case 0..<0x20:
      escape("u")
      put(UInt8(ascii: "0"))
      put(UInt8(ascii: "0"))
      put(digit(byte >> 4, UInt8(ascii: "a")))
      put(digit(byte & 15, UInt8(ascii: "a")))
    default: put(byte)
    }
  }

  private static func digit(_ value: UInt8, _ ten: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : ten + value - 10
  }
}

extension SecretBase64 {
  fileprivate static func text(of value: SecretBox) -> SecretBox { value.withBytes { text(of: $0) } }
}
