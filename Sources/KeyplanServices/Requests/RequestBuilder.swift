package import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets

/// Makes requests of templates.
package struct RequestBuilder: Sendable {
  package let api: SecretAPI
  /// The address that paths are appended to.
  package let base: String
  /// Scheme, host and port of `base`: next pages stay there.
  package let origin: String
  package let host: String

  package init(_ api: SecretAPI, _ bindings: Bindings) throws(RequestFault) {
    self.api = api
    base = try api.base.path(bindings)
    guard let address = try? HTTPAddress(base) else { throw .address }
    host = address.host
    origin = Self.origin(of: base)
  }

  package static func origin(of address: String) -> String {
    guard let start = address.utf8.firstRange(of: "://".utf8)?.upperBound else { return address }
    return address[..<start] + String(address[start...].prefix { $0 != "/" })
  }

  /// The location of a page after the first.
  package enum PageStep: Hashable, Sendable {
    case query(name: String, value: String)
    /// A whole address.
    case address(String)
  }

  /// - Parameters:
  ///   - page: the page of a list; nil for the first.
  ///   - isRepeatable: whether sending it twice has the effect of sending it once.
  ///   - now: seconds since 1970, which a signature includes.
  package func request(
    _ request: SecretAPI.Request, _ bindings: Bindings, _ sets: ItemSets = [:],
    signedBy credential: SecretAPI.Credential?,
    page: PageStep? = nil, isRepeatable: Bool, at now: Int64
  ) throws(RequestFault) -> HTTPRequest {
    var bindings = bindings
    bindings[Template.Transform.now] = .number(String(now))
    let text = try address(request, bindings, credential, page)
    guard let address = try? HTTPAddress(text) else { throw .address }
    var made = HTTPRequest(request.method, address)
    // libcurl repeats a repeatable request by itself if a kept connection turns out to be closed. A write that is
    // repeated could add a second version, or fail because of the first.
    made.isRepeatable = isRepeatable
    var headers: [String: ExpandedText] = ["accept": .open("application/json")]
    for header in api.headers + request.headers {
      guard let value = try header.value.text(bindings) else { continue }
      headers[header.name] = value
    }
    let type = headers.removeValue(forKey: "content-type")
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { try Self.add(name, value, to: &made) }
    made.body = try body(request, type, bindings, sets)
    try sign(&made, with: credential, bindings, at: now)
    return made
  }

  private func address(
    _ request: SecretAPI.Request, _ bindings: Bindings, _ credential: SecretAPI.Credential?, _ page: PageStep?
  ) throws(RequestFault) -> String {
    if case .address(let next) = page { return next }
    let start = try request.base?.path(bindings) ?? base
    let path = try request.path.path(bindings)
    var query: [String] = []
    func add(_ name: String, _ value: String) {
      query.append(PathSegment.encode(name) + "=" + PathSegment.encode(value))
    }
    var parameters = request.query
    if case .query(let own) = credential { parameters += own }
    for parameter in parameters {
      if case .query(parameter.name, _) = page { continue }
      guard let value = try parameter.value.text(bindings) else { continue }
      value.withBytes { add(parameter.name, String(decoding: $0, as: UTF8.self)) }
    }
    if case .query(let name, let value) = page { add(name, value) }
    // Anything else would continue the host's name: the credential would go to another one.
    guard path.isEmpty || path.hasPrefix("/") else { throw .address }
    let whole = start + path
    // Templates cannot contain encoded dots, and values are checked: this would be a mistake in a description.
    guard !whole.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else { throw .address }
    return query.isEmpty ? whole : whole + "?" + query.joined(separator: "&")
  }

  private func sign(
    _ request: inout HTTPRequest, with credential: SecretAPI.Credential?, _ bindings: Bindings, at now: Int64
  ) throws(RequestFault) {
    switch credential {
    case nil, .query: return
    case .bearer(let template):
      guard let token = try template.text(bindings) else { throw .notAHeader("authorization") }
      try Self.add("authorization", ExpandedText(joining: [.open("Bearer "), token]), to: &request)
    case .headers(let headers):
      for header in headers {
        guard let value = try header.value.text(bindings) else { throw .notAHeader(header.name) }
        try Self.add(header.name, value, to: &request)
      }
    case .basic(let user, let password):
      guard let user = try user.text(bindings), let password = try password.text(bindings) else {
        throw .notAHeader("authorization")
      }
      let pair = ExpandedText(joining: [user, .open(":"), password]).withBytes { SecretBase64.text(of: $0) }
      try Self.add("authorization", ExpandedText(joining: [.open("Basic "), .secret(pair)]), to: &request)
    case .sigv4(let signature): try signature.sign(&request, bindings, at: now)
    }
  }

  /// Only printable ASCII, without blanks at the ends.
  package static func add(_ name: String, _ value: ExpandedText, to request: inout HTTPRequest) throws(RequestFault) {
    let isPrintable = value.withBytes { bytes in
      bytes.allSatisfy { (0x20...0x7E).contains($0) } && bytes.first.map { $0 != 0x20 } ?? false && bytes.last != 0x20
    }
    guard isPrintable else { throw .notAHeader(name) }
    do throws(HTTPError) {
      switch value {
      case .open(let text): try request.add(name, .open(text))
      case .secret(let secret): try request.add(name, .secret(secret))
      }
    } catch {
      throw .notAHeader(name)
    }
  }

  private func body(
    _ request: SecretAPI.Request, _ type: ExpandedText?, _ bindings: Bindings, _ sets: ItemSets
  ) throws(RequestFault) -> HTTPBody? {
    var written: String?
    if case .open(let text) = type { written = text }
    switch request.body {
    case nil: return nil
    case .json(let tree): return HTTPBody(type: written ?? "application/json", try tree.json(bindings, sets))
    case .form(let parameters):
      var fields: [(name: String, value: HTTPValue)] = []
      for parameter in parameters {
        switch try parameter.value.text(bindings) {
        case nil: continue
        case .open(let text): fields.append((parameter.name, .open(text)))
        case .secret(let secret): fields.append((parameter.name, .secret(secret)))
        }
      }
      return HTTPBody.form(fields)
    case .raw(let variable):
      guard let value = try variable.value(bindings) else { throw .noValue(variable.name) }
      return HTTPBody(type: written ?? "application/octet-stream", try value.bytes())
    }
  }
}
