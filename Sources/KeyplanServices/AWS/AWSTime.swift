import KeyplanModel

/// Times as AWS writes them.
package enum AWSTime {
  /// ISO 8601 in the basic format: `20150830T123600Z`.
  /// - Parameter seconds: since 1970.
  package static func basic(_ seconds: Int64) -> String {
    Moment(seconds: seconds).description.filter { $0 != "-" && $0 != ":" }
  }

  /// Seconds since 1970 of `2026-11-23T12:00:00Z`, also with fractions of a second, or with `UTC` in place of `Z` as
  /// older versions of the AWS CLI write it. Nil for anything else.
  package static func seconds(_ text: String) -> Int64? {
    var text = text
    if text.hasSuffix("UTC") { text = text.dropLast(3) + "Z" }
    if let dot = text.firstIndex(of: ".") {
      text = text[..<dot] + String(text[text.index(after: dot)...].drop { $0.isNumber })
    }
    return Moment(text)?.seconds
  }
}
