/// The page that the browser displays. It contains nothing from the request.
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

  private var text: String {
    switch self {
    case .received: "Sign-in response received. You can close this page and return to the terminal."
    case .declined: "The sign-in was not completed. See the terminal for the reason."
    case .foreign: "This response belongs to another sign-in. keyplan is still waiting for its own."
    case .nothingHere: "There is nothing at this address. keyplan is waiting for a sign-in response."
    case .otherMethod, .misdirected, .unreadable, .tooLarge: "Invalid request."
    }
  }

  /// The whole HTTP response. The page loads nothing, is not cached, and sends no referrer, since its address contains
  /// a code.
  var bytes: [UInt8] {
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8"><title>keyplan</title>
      <body style="font: 1.2em sans-serif; margin: 4em"><p>\(text)</p></body></html>

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
