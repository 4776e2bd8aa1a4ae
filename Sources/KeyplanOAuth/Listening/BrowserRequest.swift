/// What a browser asked for: as much of it as decides what to do.
struct BrowserRequest {
  let method: Substring
  /// The path and the query, as they came.
  let target: Substring
  private let hosts: [Substring]

  /// Longer ones are not read: a code of Microsoft's has about two thousand characters.
  static let limit = 16384

  /// `nil` for what is no request.
  init?(_ head: [UInt8]) {
    guard let text = String(validating: head, as: UTF8.self) else { return nil }
    // Bytes, not characters: to Swift a CR and an LF are one.
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

  /// What can be said to it without looking at the answer in it; `nil` if it is the one that was waited for.
  ///
  /// The host is compared because a page somewhere can have a name of its own lead to this machine, and so read what is
  /// said here; the method, because a form of any page can post.
  func refusal(at port: Int) -> BrowserReply? {
    guard hosts.count == 1, ["127.0.0.1:\(port)", "localhost:\(port)"].contains(hosts[0].lowercased()) else {
      return .misdirected
    }
    guard target.prefix(while: { $0 != "?" }) == "/" else { return .nothingHere }
    return method == "GET" ? nil : .otherMethod
  }
}
