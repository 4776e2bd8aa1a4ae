/// The display properties of the scalars of foreign text: the number of columns, and whether they may be shown at all.
package enum Glyphs {
  /// The number of columns of a text, once it is made visible. By scalar: the count for joined emoji may exceed the width on screen.
  package static func columns(of text: some StringProtocol) -> Int {
    if isPlain(text) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { sum, scalar in
      sum + (isUnsafe(scalar) ? escaped(scalar).utf8.count : columns(of: scalar))
    }
  }

  /// The text with everything written out that could control a terminal or change the order of reading: control characters, bidirectional
  /// controls, invisible characters. Names at targets and reasons of services can be any text.
  package static func visible(_ text: String) -> String {
    if isPlain(text) { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isUnsafe(scalar) {
        result += escaped(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// The same for a JSON text, with JSON's escapes: such scalars occur only in its strings.
  package static func visible(inJSON text: String) -> String {
    if isPlain(text) { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isUnsafe(scalar) {
        for unit in String(scalar).utf16 { result += "\\u" + String(Int(unit) + 0x1_0000, radix: 16).dropFirst() }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Whether a text is printable ASCII and nothing else, as nearly all text is.
  private static func isPlain(_ text: some StringProtocol) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 >= 0x20 && $0 < 0x7f } }
      ?? text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
  }

  /// The columns of one scalar that may be shown.
  package static func columns(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: 1
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      2
    default: [.nonspacingMark, .enclosingMark].contains(scalar.properties.generalCategory) ? 0 : 1
    }
  }

  /// Whether a scalar is always shown escaped: it controls the terminal, or makes different texts look the same. Decided by its properties,
  /// which cover additions to Unicode: joiners, variation selectors and fillers are default ignorable.
  package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7f }
    let properties = scalar.properties
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// `\u{1b}`.
  package static func escaped(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }
}
