package import KeyplanSecrets

/// The body of a request, always treated as a secret.
package struct HTTPBody: Redacted, Sendable {
  package let type: String
  package let bytes: SecretBox

  package init(type: String, _ bytes: SecretBox) {
    self.type = type
    self.bytes = bytes
  }

  /// `application/x-www-form-urlencoded`, with the fields in this order.
  package static func form(_ fields: [(name: String, value: HTTPValue)]) -> HTTPBody {
    let bytes = written { sink in
      for (index, field) in fields.enumerated() {
        if index > 0 { sink(UInt8(ascii: "&")) }
        HTTPValue.open(field.name).forEach { encode($0, to: sink) }
        sink(UInt8(ascii: "="))
        field.value.forEach { encode($0, to: sink) }
      }
    }
    return HTTPBody(type: "application/x-www-form-urlencoded", bytes)
  }

  /// A value encoded as in a form.
  package static func encoded(_ value: HTTPValue) -> SecretBox {
    written { sink in value.forEach { encode($0, to: sink) } }
  }

  /// Writes the bytes twice, first to count them: a growing buffer would leave copies in memory.
  private static func written(_ write: ((UInt8) -> Void) -> Void) -> SecretBox {
    var count = 0
    write { _ in count += 1 }
    let bytes = Secret(count: count) { room in
      var next = 0
      write { byte in
        room[next] = byte
        next += 1
      }
    }
    return SecretBox(bytes)
  }

  private static func encode(_ byte: UInt8, to sink: (UInt8) -> Void) {
    switch byte {
    case _ where isDigit(byte) || isLetter(byte), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): sink(byte)
    case UInt8(ascii: " "): sink(UInt8(ascii: "+"))
    default:
      sink(UInt8(ascii: "%"))
      for digit in [byte >> 4, byte & 15] { sink(digit < 10 ? 0x30 + digit : 0x37 + digit) }
    }
  }
}
