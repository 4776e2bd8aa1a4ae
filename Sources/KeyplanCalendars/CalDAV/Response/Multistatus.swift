/// A response about several resources (RFC 4918, section 13).
struct Multistatus: Sendable {
  /// One resource.
  struct Response: Sendable {
    let reference: DAVReference
    /// The status of the whole resource, if no properties are reported: 404 means that it was deleted.
    let status: Int?
    /// The requested properties that the server returned, without rejected and unknown ones.
    let properties: [XMLName: XMLElement]
  }

  let responses: [Response]
  /// The token for the next request (RFC 6578, section 6.2).
  let token: String?

  /// `nil` for another kind of document.
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
      // Without properties, one status may apply to several references.
      return response.all(.dav("href")).map {
        Response(reference: DAVReference($0.text), status: status, properties: properties)
      }
    }
  }

  /// Parses a line such as `HTTP/1.1 404 Not Found`.
  private static func status(_ line: String) -> Int? {
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), words[1].utf8.count == 3 else { return nil }
    return Int(words[1])
  }
}
