import KeyplanCore

extension Moment {
  /// A time as services write it: to the fraction of a second, which is dropped, and perhaps without an offset, which
  /// then is `offset`.
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

/// A day, such as `2026-11-21`, if it is one.
func writtenDay(_ text: String) -> String? { text.utf8.count == 10 && Moment(text) != nil ? text : nil }
