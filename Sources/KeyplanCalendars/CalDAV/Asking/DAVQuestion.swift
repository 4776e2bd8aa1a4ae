import KeyplanCore
import KeyplanHTTP

/// What is asked of a server, with its body (RFC 4918, RFC 4791, RFC 6578).
struct DAVQuestion: Sendable {
  let method: HTTPRequest.Method
  /// How far below the address it reaches: 0 is the address itself.
  let depth: Int
  let body: String

  /// The values of these properties.
  static func properties(_ names: [XMLName], depth: Int) -> DAVQuestion {
    let names = names.map { "<x:\($0.local) xmlns:x=\"\($0.space)\"/>" }.joined()
    return DAVQuestion(
      method: .propfind, depth: depth,
      body: #"<propfind xmlns="DAV:"><prop>\#(names)</prop></propfind>"#)
  }

  /// The events of a calendar, each occurrence for itself: the server repeats and shifts, with its own knowledge of
  /// zones.
  static func occurrences(in range: DAVRange) -> DAVQuestion {
    query(in: range, #"<c:expand start="\#(range.start.basic)" end="\#(range.end.basic)"/>"#)
  }

  /// The same events as they were written, without what is not needed to tell their zones.
  static func zones(in range: DAVRange) -> DAVQuestion {
    let names = ["UID", "RECURRENCE-ID", "DTSTART"].map { #"<c:prop name="\#($0)"/>"# }.joined()
    return query(
      in: range,
      #"<c:comp name="VCALENDAR"><c:prop name="VERSION"/><c:comp name="VEVENT">\#(names)</c:comp></c:comp>"#)
  }

  /// What changed in a calendar since it gave the token.
  static func changes(since token: String) -> DAVQuestion {
    DAVQuestion(
      method: .report, depth: 0,
      body: """
        <sync-collection xmlns="DAV:"><sync-token>\(escaped(token))</sync-token><sync-level>1</sync-level>\
        <prop><getetag/></prop></sync-collection>
        """)
  }

  private static func query(in range: DAVRange, _ data: String) -> DAVQuestion {
    DAVQuestion(
      method: .report, depth: 1,
      body: """
        <c:calendar-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><prop><getetag/>\
        <c:calendar-data>\(data)</c:calendar-data></prop><c:filter><c:comp-filter name="VCALENDAR">\
        <c:comp-filter name="VEVENT"><c:time-range start="\(range.start.basic)" end="\(range.end.basic)"/>\
        </c:comp-filter></c:comp-filter></c:filter></c:calendar-query>
        """)
  }

  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
      case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
      case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A stretch of time, its end not included.
struct DAVRange: Hashable, Sendable {
  let start: Moment
  let end: Moment
}

extension Moment {
  /// Such as `20261121T091200Z` (RFC 5545, section 3.3.5).
  fileprivate var basic: String {
    String(decoding: description.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
  }
}
