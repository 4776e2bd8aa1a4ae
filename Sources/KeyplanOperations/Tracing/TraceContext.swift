/// The place of a span in a trace, as programs hand it on in the variable `TRACEPARENT` (W3C Trace Context, section 3.2).
struct TraceContext: Equatable {
  /// 32 hexadecimal digits.
  let trace: String
  /// 16 hexadecimal digits.
  let span: String
  /// The flag `sampled`: whether the caller may record the trace.
  let isSampled: Bool

  init(trace: String, span: String, isSampled: Bool = true) {
    (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
  }

  /// Nil for a header that the specification calls invalid. A later version may have more fields.
  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0] != "ff", parts[0] != "00" || parts.count == 4 else { return nil }
    for (part, count) in zip(parts, [2, 32, 16, 2]) {
      let isHexadecimal = part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      guard part.utf8.count == count, isHexadecimal else { return nil }
    }
    guard parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    (trace, span, isSampled) = (String(parts[1]), String(parts[2]), flags & 1 == 1)
  }

  var text: String { "00-\(trace)-\(span)-0\(isSampled ? 1 : 0)" }

  /// Random hexadecimal digits, not all of them 0.
  static func identifier(_ count: Int) -> String {
    let digits = Array("0123456789abcdef")
    let text = String((0..<count).map { _ in digits[Int.random(in: 0..<16)] })
    return text.contains { $0 != "0" } ? text : identifier(count)
  }
}
