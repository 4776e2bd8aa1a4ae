import KeyplanHTTP

/// The root address of a service's API.
struct ServiceRoot: Sendable {
  private let address: HTTPAddress
  private let base: String

  init(_ address: HTTPAddress) {
    self.address = address
    // The description excludes the query.
    let text = address.description
    base = text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  func address(_ path: [String], _ query: [(name: String, value: String)] = []) throws(CalendarError) -> HTTPAddress {
    let fields = query.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }.joined(separator: "&")
    let text = ([base] + path.map(percentEncoded)).joined(separator: "/") + (fields.isEmpty ? "" : "?\(fields)")
    do throws(HTTPError) { return try HTTPAddress(text) } catch { throw CalendarError(error) }
  }

  /// The address of a link from the service. It must have the same origin as the root, since the account's token is
  /// sent to it.
  func link(_ text: String) throws(CalendarError) -> HTTPAddress {
    guard let link = try? HTTPAddress(text), link.scheme == address.scheme, link.host == address.host,
      Self.port(of: link) == Self.port(of: address)
    else { throw CalendarError(.elsewhere, status: 200) }
    return link
  }

  private static func port(of address: HTTPAddress) -> Int { address.port ?? (address.scheme == "https" ? 443 : 80) }
}

/// Escapes everything except RFC 3986's unreserved characters, so that the text is a single path segment or query
/// field: ids are e-mail addresses, or Base64 with `/` and `=`.
func percentEncoded(_ text: String) -> String {
  var encoded: [UInt8] = []
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      encoded.append(byte)
    default:
      encoded.append(UInt8(ascii: "%"))
      for digit in [byte >> 4, byte & 15] { encoded.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}
