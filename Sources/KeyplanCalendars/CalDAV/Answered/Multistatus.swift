/// An answer about several resources (RFC 4918, section 13).
struct Multistatus: Sendable {
  /// One resource.
  struct Response: Sendable {
    let reference: DAVReference
    /// Of the resource as a whole, where no property of it is told: 404 says that it has gone.
    let status: Int?
    /// What the server has of the properties asked for. Those that it refuses or does not know are not here.
    let properties: [XMLName: XMLElement]
  }

  let responses: [Response]
  /// To ask from the next time (RFC 6578, section 6.2).
  let token: String?

  /// `nil` if it is none.
  init?(_ root: XMLElement) {
    guard root.name == .dav("multistatus") else { return nil }
    token = root.child(.dav("sync-token")).map(\.text).flatMap { $0.isEmpty ? nil : $0 }
    responses = root.all(.dav("response")).flatMap { response in
      let status = response.child(.dav("status")).flatMap { Self.status($0.text) }
      var properties: [XMLName: XMLElement] = [:]
      for part in response.all(.dav("propstat")) {
        guard let status = part.child(.dav("status")).flatMap({ Self.status($0.text) }), (200...299).contains(status)
        else { continue }
        for property in part.child(.dav("prop"))?.children ?? [] { properties[property.name] = property }
      }
      // Without properties there may be several references for one status.
      return response.all(.dav("href")).map {
        Response(reference: DAVReference($0.text), status: status, properties: properties)
      }
    }
  }

  /// Such as `HTTP/1.1 404 Not Found`.
  private static func status(_ line: String) -> Int? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3 else { return nil }
    return Int(words[1])
  }
}
