/// A parsed line: `NAME;PARAMETER=VALUE:VALUE`.
struct ICalProperty {
  /// In upper case.
  let name: String
  /// The parameter `TZID`.
  private(set) var zone: String?
  let value: ArraySlice<UInt8>

  init?(_ line: [UInt8]) {
    var rest = line[...]
    let name = Self.takeName(&rest)
    guard !name.isEmpty else { return nil }
    self.name = name
    var zone: String?
    while rest.first == UInt8(ascii: ";") {
      rest = rest.dropFirst()
      let parameter = Self.takeName(&rest)
      guard !parameter.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
      guard let value = Self.takeParameter(&rest) else { return nil }
      if parameter == "TZID", !value.isEmpty { zone = String(decoding: value, as: UTF8.self) }
    }
    guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
    self.zone = zone
    value = rest
  }

  /// A value of the type TEXT (RFC 5545, section 3.3.11).
  var text: String {
    var bytes: [UInt8] = []
    var rest = value
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escaped = rest.first else {
        bytes.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"), UInt8(ascii: "N"): bytes.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ";"): bytes.append(escaped)
      // Not an escape: some programs do not escape backslashes.
      default: bytes += [byte, escaped]
      }
      rest = rest.dropFirst()
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  var time: ICalTime? { ICalTime(value, zone: zone) }

  private static func takeName(_ rest: inout ArraySlice<UInt8>) -> String {
    let name = rest.prefix {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: "_")
    }
    rest = rest.dropFirst(name.count)
    return String(decoding: name, as: UTF8.self).uppercased()
  }

  /// Consumes the values of a parameter and returns the first one without quotes; `nil` for an unterminated quote.
  private static func takeParameter(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var first: ArraySlice<UInt8>?
    while true {
      let value: ArraySlice<UInt8>
      if rest.first == UInt8(ascii: "\"") {
        rest = rest.dropFirst()
        value = rest.prefix { $0 != UInt8(ascii: "\"") }
        rest = rest.dropFirst(value.count)
        guard rest.popFirst() != nil else { return nil }
      } else {
        value = rest.prefix { !",;:\"".utf8.contains($0) }
        rest = rest.dropFirst(value.count)
      }
      first = first ?? value
      guard rest.first == UInt8(ascii: ",") else { return first }
      rest = rest.dropFirst()
    }
  }
}
