/// Numbers as Go writes them.
enum GoNumber {
  /// Go's `strconv.FormatFloat(number, 'f', -1, 64)`: the shortest decimal that reads as the number, without exponent.
  static func text(of number: Double) -> String {
    if number.isNaN { return "NaN" }
    if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
    // Swift's description has the same digits, but an exponent for large and small numbers.
    var text = Substring("\(number.magnitude)")
    var exponent = 0
    if let mark = text.firstIndex(of: "e") {
      exponent = Int(text[text.index(after: mark)...]) ?? 0
      text = text[..<mark]
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    var whole = String(parts[0])
    var fraction = parts.count > 1 && parts[1] != "0" ? String(parts[1]) : ""
    while exponent > 0 {
      whole.append(fraction.isEmpty ? "0" : fraction.removeFirst())
      exponent -= 1
    }
    while exponent < 0 {
      fraction.insert(whole.popLast() ?? "0", at: fraction.startIndex)
      exponent += 1
    }
    let digits = whole.drop { $0 == "0" }
    let sign = number.sign == .minus ? "-" : ""
    return sign + (digits.isEmpty ? "0" : digits) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// An integer as Go's `strconv.ParseInt(text, 0, 64)` reads it: decimal, `0x`, `0o`, `0b` or octal after a leading
  /// zero. Nil for any other text.
  static func integer(_ text: String) -> Int? {
    var digits = Substring(text)
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    var radix = 10
    for (prefix, base) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2), ("0", 8)]
    where digits.count > prefix.count && digits.hasPrefix(prefix) {
      digits = digits.dropFirst(prefix.count)
      radix = base
      break
    }
    guard let first = digits.first, first != "-", first != "+" else { return nil }
    return Int((isNegative ? "-" : "") + digits, radix: radix)
  }
}
