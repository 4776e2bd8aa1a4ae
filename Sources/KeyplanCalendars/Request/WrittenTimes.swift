import KeyplanModel

extension Moment {
  /// A time in the services' formats: with a fraction of a second, which is dropped, and possibly without an offset,
  /// for which `offset` is used.
  init?(written text: String, offset: String? = nil) {
    var time = Substring(text)
    if let dot = time.firstIndex(of: ".") {
      let digits = time[time.index(after: dot)...].prefix { $0.isNumber }
      time = time[..<dot] + time[digits.endIndex...]
    }
    if time.utf8.count == 19, let offset { time += offset }
    guard time.utf8.count > 10 else { return nil }
    self.init(String(time))
  }
}

/// A date such as `2026-11-21`; nil if invalid.
func writtenDay(_ text: String) -> String? { text.utf8.count == 10 && Moment(text) != nil ? text : nil }
