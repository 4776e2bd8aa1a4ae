internal import KeyplanHTTP
internal import KeyplanJSON
public import KeyplanReader
public import KeyplanSecrets

/// Keys that a service answers over HTTPS, one a request.
///
/// ```swift
/// let reader = KeyReader(try HTTPKeys("https://keys.example.com/v1/{name}"))
/// ```
///
/// A response has the value as its body, or in a string of its JSON. If it has an `ETag`, later requests are conditional (RFC 9110,
/// section 13). Redirections are not followed, and plain HTTP is for this machine only.
public struct HTTPKeys: KeySource {
  /// The content of requests, and the location of the value in responses.
  public struct Options: Sendable {
    /// A JSON Pointer (RFC 6901) to the string that is the value; nil if it is the whole body. One line feed at its end is then no
    /// part of it.
    public var pointer: String?
    /// Headers without secrets.
    public var headers: [String: String] = [:]
    /// The access token of the next request, sent as `Authorization: Bearer`; nil for none.
    public var bearer: (@Sendable () async throws -> SecretBox)?
    /// A file of certificates (PEM) that are trusted instead of the system's.
    public var authorities: String?

    /// The value is the body, and nothing authenticates the request.
    public init() {}
  }

  private let address: String
  private let options: Options
  private let pointer: [String]?
  private let transport: SourceTransport
  /// The address.
  public let identity: String

  /// - Parameter address: contains `{name}` where the name of the key is.
  /// - Throws: `KeyError` (`backend`) if the address or the pointer is malformed.
  public init(_ address: String, _ options: Options = Options()) throws(KeyError) {
    try self.init(address, options, SourceTransport(authorities: options.authorities))
  }

  init(_ address: String, _ options: Options, _ transport: SourceTransport) throws(KeyError) {
    guard address.contains("{name}"), (try? HTTPAddress(Self.address(address, of: "x"))) != nil else {
      throw KeyError(
        .backend, nil, "The address is not an https:// URL with {name} in it.",
        hint: "For example https://keys.example.com/v1/{name}")
    }
    if let text = options.pointer {
      guard let names = Self.names(of: text) else {
        throw KeyError(.backend, nil, "\"\(text)\" is not a JSON Pointer.", hint: "For example /data/value")
      }
      pointer = names
    } else {
      pointer = nil
    }
    (self.address, self.options, self.transport) = (address, options, transport)
    identity = "HTTP \(address) \(options.pointer ?? "")"
  }

  private static func address(_ template: String, of name: String) -> String {
    template.replacing("{name}", with: PathSegment.encode(name))
  }

  /// The names on the way to a value; nil for a malformed pointer.
  private static func names(of pointer: String) -> [String]? {
    guard pointer.hasPrefix("/") else { return nil }
    return pointer.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
  }

  /// Sends one request.
  public func read(_ item: ReadItem, known: String?) async -> KeySourceAnswer {
    guard case .key(let name) = item else {
      return .refused(.notFound, "An address has keys, and no slots or accounts.", hint: nil)
    }
    guard PathSegment.encoded(segment: name.rawValue) != nil else {
      return .refused(.notFound, "\"\(name)\" cannot be part of an address.", hint: nil)
    }
    do {
      return answer(try await transport.send(try await request(name, known)), name, known)
    } catch let error as HTTPError {
      return SourceTransport.answer(error)
    } catch {
      return .refused(.denied, "The access token for \(address) could not be obtained.", hint: nil)
    }
  }

  private func request(_ name: APIKeyName, _ known: String?) async throws -> HTTPRequest {
    var request = HTTPRequest(.get, try HTTPAddress(Self.address(address, of: name.rawValue)))
    for (name, value) in options.headers { try request.add(name, .open(value)) }
    if let known { try request.add("If-None-Match", .open(known)) }
    if let bearer = options.bearer { try request.authorize(bearer: try await bearer()) }
    return request
  }

  private func answer(_ response: HTTPResponse, _ name: APIKeyName, _ known: String?) -> KeySourceAnswer {
    switch response.status {
    case 200: return value(response, name)
    case 304 where known != nil: return .unchanged
    case 404, 410: return .refused(.notFound, "There is no \"\(name)\" at \(address).", hint: nil)
    case 401, 403:
      return .refused(.denied, "\(address) refused the request (HTTP \(response.status)).", hint: nil)
    case 408, 425, 429, 500...599:
      return .unreachable("\(address) answered with HTTP \(response.status).", retryAfter: response.pauseInHeader)
    case 300...399:
      return .refused(.backend, "\(address) redirects, which is not followed.", hint: "Name the final address.")
    default: return .refused(.backend, "\(address) answered with HTTP \(response.status).", hint: nil)
    }
  }

  private func value(_ response: HTTPResponse, _ name: APIKeyName) -> KeySourceAnswer {
    let value: SecretBox
    if let pointer {
      guard let json = JSONAnswer(response.body) else {
        return .refused(.backend, "\(address) did not answer with JSON.", hint: nil)
      }
      guard let node = Self.node(pointer, in: json), let text = json.secret(node), text.count > 0 else {
        return .refused(.missingField, "The response has no text at \(options.pointer ?? "").", hint: nil)
      }
      value = text
    } else {
      // The answer of a proxy or a login page in place of the service.
      let isPage = response.header("Content-Type")?.lowercased().hasPrefix("text/html") == true
      guard !isPage else { return .refused(.backend, "\(address) answered with a web page.", hint: nil) }
      value = response.body.withBytes { bytes in
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
        return SecretBox(Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[..<end])))
      }
      guard value.count > 0 else { return .refused(.missingField, "The response is empty.", hint: nil) }
    }
    let version = response.header("ETag").flatMap { $0.utf8.count <= 1024 ? $0 : nil }
    return .value(KeySourceValue(value, name: name.rawValue, version: version))
  }

  private static func node(_ pointer: [String], in json: JSONAnswer) -> JSONNode? {
    pointer.reduce(json.root) { node, name -> JSONNode? in
      switch node?.content {
      case .object(let members): members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
      case .array(let elements): Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: nil
      }
    }
  }
}
