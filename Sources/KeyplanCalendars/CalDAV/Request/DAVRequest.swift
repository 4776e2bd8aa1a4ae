import KeyplanHTTP
import KeyplanModel

/// The method and body of a request (RFC 4918, RFC 4791, RFC 6578).
struct DAVRequest: Sendable {
  let method: HTTPRequest.Method
  /// The depth below the address; 0 is the address itself.
  let depth: Int
  let body: String

  /// Requests properties.
  static func properties(_ names: [XMLName], depth: Int) -> DAVRequest {
    let names = names.map { "<x:\($0.local) xmlns:x=\"\($0.space)\"/>" }.joined()
    return DAVRequest(
      method: .propfind, depth: depth,
      body: #"<propfind xmlns="DAV:"><prop>\#(names)</prop></propfind>"#)
  }

  /// Requests the events of a calendar that may have an occurrence in a period, as they were written.
  static func events(in range: DAVRange) -> DAVRequest {
    DAVRequest(
      method: .report, depth: 1,
      body: """
        <c:calendar-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><prop><getetag/><c:calendar-data/></prop>\
        <c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">\
        <c:time-range start="\(range.start.basic)" end="\(range.end.basic)"/>\
        </c:comp-filter></c:comp-filter></c:filter></c:calendar-query>
        """)
  }

  /// Requests the changes in a calendar since a sync token.
  static func changes(since token: String) -> DAVRequest {
    DAVRequest(
      method: .report, depth: 0,
      body: """
        <sync-collection xmlns="DAV:"><sync-token>\(escaped(token))</sync-token><sync-level>1</sync-level>\
        <prop><getetag/></prop></sync-collection>
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

/// A period, excluding its end.
struct DAVRange: Hashable, Sendable {
  let start: Moment
  let end: Moment
}

extension Moment {
  /// For example `20261121T091200Z` (RFC 5545, section 3.3.5).
  fileprivate var basic: String {
    String(decoding: description.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
  }
}
