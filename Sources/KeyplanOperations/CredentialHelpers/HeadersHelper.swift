internal import KeyplanJSON
internal import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// HTTP headers as a JSON object, which clients of MCP servers read from a program.
package struct HeadersHelper: Sendable {
  private let host: HelperHost
  private let header: String
  private let prefix: String

  /// - Parameter prefix: the text before the value in the header; nil for `Bearer ` in Authorization, and for none elsewhere.
  package init(host: HelperHost, header: String, prefix: String?) throws(Failure) {
    // A token of RFC 9110, section 5.6.2.
    guard !header.isEmpty, header.utf8.allSatisfy({ Self.isToken($0) }) else {
      throw Failure(
        .usage, "Invalid --header", "--header takes the name of one HTTP header.", hint: "--header X-Api-Key")
    }
    let prefix = prefix ?? (header.lowercased() == "authorization" ? "Bearer " : "")
    if !prefix.isEmpty { try HelperOption.check(prefix, "--prefix") }
    (self.host, self.header, self.prefix) = (host, header, prefix)
  }

  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// - Parameter server: the URL that the client says it calls; nil if it does not say.
  package func accepts(server: String?) throws(Failure) -> Bool {
    guard let server else { return true }
    try HelperRequest.check(server, "server's URL")
    return HTTPSAddress(server)?.host == host
  }

  /// The answer for another server: no headers.
  package static let nothing = JSONBody.object([]).bytes()

  package func answer(_ credential: HelperCredential) -> SecretBox {
    var writer = SecretWriter()
    writer.append(prefix)
    writer.append(credential.value)
    return JSONBody.object([(header, .secret(writer.finished()))]).bytes()
  }

  /// - Parameter name: of the server.
  package func setup(_ line: HelperLine, name: String) -> String {
    """
    {
      "mcpServers": {
        \(HelperLine.json(name)): {
          "type": "http",
          "url": "https://\(host)/",
          "headersHelper": \(HelperLine.json(line.shell))
        }
      }
    }

    """
  }
}
