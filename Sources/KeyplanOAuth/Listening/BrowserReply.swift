/// What the browser is shown. Nothing in it comes from the request.
enum BrowserReply {
  case received, declined, foreign, nothingHere, otherMethod, misdirected, unreadable, tooLarge

  private var status: String {
    switch self {
    case .received, .declined: "200 OK"
    case .foreign, .unreadable: "400 Bad Request"
    case .nothingHere: "404 Not Found"
    case .otherMethod: "405 Method Not Allowed\r\nAllow: GET"
    case .misdirected: "421 Misdirected Request"
    case .tooLarge: "431 Request Header Fields Too Large"
    }
  }

  private var words: String {
    switch self {
    case .received: "keyplan has the answer. Close this page and go back to the terminal."
    case .declined: "The service did not let keyplan in. The terminal says why."
    case .foreign: "This is the answer to another sign-in. keyplan goes on waiting for its own."
    case .nothingHere: "Nothing is here. keyplan waits for the answer to a sign-in."
    case .otherMethod, .misdirected, .unreadable, .tooLarge: "keyplan does not take this."
    }
  }

  /// The whole answer. The page loads nothing, is not kept, and does not tell its address, which has a code in it.
  var bytes: [UInt8] {
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>keyplan</title>
      <body style="font: 1.2em sans-serif; margin: 4em"><p>\(words)</p></body></html>

      """
    let head = [
      "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
      "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
      "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      "Connection: close",
    ]
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + page).utf8)
  }
}
