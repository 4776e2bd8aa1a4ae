import KeyplanHTTP
import KeyplanSecrets

/// The parsed response of a CalDAV server.
enum DAVResponse: Sendable {
  case found(Multistatus)
  /// With the preconditions that the response names (RFC 4918, section 16).
  case refused(status: Int, pause: Duration?, conditions: Set<XMLName>)

  /// - Throws: `DAVError` for a successful response that cannot be parsed.
  init(_ response: HTTPResponse, from address: HTTPAddress) throws(DAVError) {
    guard response.status == 207 else {
      self = .refused(
        status: response.status, pause: response.pauseInHeader, conditions: Self.conditions(in: response))
      return
    }
    let root: XMLElement
    do throws(XMLFault) {
      root = try response.body.withBytes { bytes throws(XMLFault) in try XMLReader.read(bytes) }
    } catch {
      throw DAVError(.unreadable(.xml(error)), at: address)
    }
    guard let multistatus = Multistatus(root) else { throw DAVError(.unreadable(.notMultistatus), at: address) }
    self = .found(multistatus)
  }

  /// - Throws: `DAVError` for a refusal.
  func found(at address: HTTPAddress) throws(DAVError) -> Multistatus {
    switch self {
    case .found(let multistatus): return multistatus
    case .refused(401, _, _): throw DAVError(.credentialsRefused, at: address)
    case .refused(403, _, _): throw DAVError(.forbidden, at: address)
    case .refused(404, _, _), .refused(410, _, _): throw DAVError(.notFound, at: address)
    // Responses of ordinary web servers and captive portals.
    case .refused(200...299, _, _), .refused(405, _, _), .refused(501, _, _): throw DAVError(.notCalDAV, at: address)
    case .refused(let status, let pause, _) where status >= 500 || status == 429 || status == 408:
      throw DAVError(.busy(status: status, pause: pause), at: address)
    case .refused(let status, _, _): throw DAVError(.unexpected(status: status), at: address)
    }
  }

  private static func conditions(in response: HTTPResponse) -> Set<XMLName> {
    guard (400..<500).contains(response.status), response.status != 401 else { return [] }
    // Most refusals are HTML pages.
    guard let root = try? response.body.withBytes({ bytes throws(XMLFault) in try XMLReader.read(bytes) }),
      root.name == .dav("error")
    else { return [] }
    return Set(root.children.map(\.name))
  }
}
