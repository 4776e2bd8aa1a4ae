/// The parts of a browser's request that are needed to handle it.
struct BrowserRequest {
  let method: Substring
  /// The path and the query, unchanged.
  let target: Substring
  private let hosts: [Substring]

  /// The maximum size of the request head: Microsoft's codes have about two thousand characters.
  static let limit = 16384

  /// `nil` if it is not a valid request.
  init?(_ head: [UInt8]) {
    guard let text = String(validating: head, as: UTF8.self) else { return nil }
    // Splits bytes, because CR LF is a single character in Swift.
    let lines = Substring(text).utf8.split(separator: UInt8(ascii: "\n")).map { line in
      Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
    let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    method = words[0]
    target = words[1]
    hosts = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "host" else { return nil }
      return line[line.index(after: colon)...].drop { $0 == " " }
    }
  }

  /// The reply to a request that cannot be a sign-in response; `nil` if it can.
  ///
  /// The host is compared to prevent DNS rebinding, by which a web page could read the reply; the method, because a
  /// form on any page can post.
  func refusal(at port: Int) -> BrowserReply? {
    guard hosts.count == 1, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(hosts[0].lowercased()) else {
      return .misdirected
    }
    guard target.prefix(while: { $0 != "?" }) == "/" else { return .nothingHere }
    return method == "GET" ? nil : .otherMethod
  }
}
