package import KeyplanSecrets

/// The response of a service, whatever its status. Its description contains only the status.
package struct HTTPResponse: Redacted, Sendable {
  /// For example 200. Redirections (3xx) are not followed; that is up to the caller.
  package let status: Int
  /// The body, decompressed.
  package let body: SecretBox
  private let headers: [String: String]

  /// Parses the last header block. Of duplicate headers the last one counts.
  init(status: Int, head: UnsafeRawBufferPointer, body: SecretBox) {
    self.status = status
    self.body = body
    var headers: [String: String] = [:]
    for line in head.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[line.index(after: colon)...].drop(while: isSpace)
      let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
      headers[String(decoding: line[..<colon], as: UTF8.self).lowercased()] =
        String(decoding: value[..<end], as: UTF8.self)
    }
    self.headers = headers
  }

  /// A response that did not come from a service, for tests and fakes.
  package init(status: Int, headers: [String: String] = [:], body: SecretBox = SecretBox([])) {
    self.status = status
    self.body = body
    self.headers = Dictionary(headers.map { ($0.lowercased(), $1) }) { $1 }
  }

  /// The value of a header, by its case-insensitive name.
  package func header(_ name: String) -> String? { headers[name.lowercased()] }

  /// For example `HTTP 200`.
  package var description: String { "HTTP \(status)" }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
