/// A parsed line: `NAME;PARAMETER=VALUE:VALUE`.
struct ICalProperty {
  /// In upper case.
  let name: String
  /// The parameter `TZID`.
  private(set) var zone: String?
  /// The parameter `RANGE`, in upper case.
  private(set) var range: String?
  let value: ArraySlice<UInt8>

  init?(_ line: [UInt8]) {
    var rest = line[...]
    let name = Self.takeName(&rest)
    guard !name.isEmpty else { return nil }
    self.name = name
    while rest.first == UInt8(ascii: ";") {
      rest = rest.dropFirst()
      let parameter = Self.takeName(&rest)
      guard !parameter.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
      guard let value = Self.takeParameter(&rest) else { return nil }
      if parameter == "TZID", !value.isEmpty { zone = String(decoding: value, as: UTF8.self) }
      if parameter == "RANGE" { range = String(decoding: value, as: UTF8.self).uppercased() }
    }
    guard rest.popFirst() == UInt8(ascii: ":") else { return nil }
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

  /// The times of a list; nil if one of them is invalid.
  var times: [ICalTime]? {
    var times: [ICalTime] = []
    for part in value.split(separator: UInt8(ascii: ",")) {
      guard let time = ICalTime(part, zone: zone) else { return nil }
      times.append(time)
    }
    return times
  }

  /// The same, where a time may be the start of a period (RFC 5545, section 3.3.9).
  var dates: [ICalEvent.Addition]? {
    var dates: [ICalEvent.Addition] = []
    for part in value.split(separator: UInt8(ascii: ",")) {
      let halves = part.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
      guard let first = halves.first, let start = ICalTime(first, zone: zone) else { return nil }
      var end: ICalEvent.End?
      if halves.count == 2 {
        end = ICalDuration(halves[1]).map { .after($0) } ?? ICalTime(halves[1], zone: zone).map { .at($0) }
        if end == nil { return nil }
      }
      dates.append(ICalEvent.Addition(start: start, end: end))
    }
    return dates
  }

  /// A value of the type UTC-OFFSET (RFC 5545, section 3.3.14), in seconds.
  var offset: Int? {
    let digits = value.dropFirst()
    guard let sign = value.first, digits.count == 4 || digits.count == 6,
      digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(String(decoding: digits, as: UTF8.self))
    else { return nil }
    let whole = digits.count == 4 ? number * 100 : number
    let seconds = whole / 10_000 * 3600 + whole / 100 % 100 * 60 + whole % 100
    switch sign {
    case UInt8(ascii: "+"): return seconds
    case UInt8(ascii: "-"): return -seconds
    default: return nil
    }
  }

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
