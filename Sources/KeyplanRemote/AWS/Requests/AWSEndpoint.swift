import KeyplanHTTP

/// Where a service is in a region.
struct AWSEndpoint: Sendable {
  let address: HTTPAddress
  let service: AWSService
  let region: String

  var host: String { address.hostHeader }

  /// - Parameter override: the address that the user's environment or profile has for the service; nil for AWS's own.
  init(_ service: AWSService, in region: String, at override: String?) throws(RemoteFailure) {
    self.service = service
    self.region = region
    guard let override else {
      // The domains of other partitions are not among the hosts that the connection names.
      guard !Self.otherPartitions.contains(where: { region.hasPrefix($0) }) else {
        throw RemoteFailure(
          .unreadable, AWSMessages.otherPartition(region), hint: AWSMessages.setEndpoint(service))
      }
      address = try Self.address("https://\(service.rawValue).\(region).amazonaws.com/")
      return
    }
    let address = try Self.address(override.hasSuffix("/") ? override : override + "/")
    let path = address.text.dropFirst(address.scheme.count + 3).drop { $0 != "/" }
    guard path == "/" else { throw RemoteFailure(.unreadable, AWSMessages.invalidEndpoint) }
    self.address = address
  }

  private static let otherPartitions = ["cn-", "us-iso", "eu-isoe-", "eusc-"]

  /// Whether a text can be a region, and so a part of a host's name.
  static func isRegion(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && !text.hasPrefix("-") && !text.hasSuffix("-")
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  private static func address(_ text: String) throws(RemoteFailure) -> HTTPAddress {
    do throws(HTTPError) {
      return try HTTPAddress(text)
    } catch {
      throw RemoteFailure(.unreadable, "\(AWSMessages.invalidEndpoint) \(error).", hint: error.hint)
    }
  }
}

extension HTTPAddress {
  /// The header `Host`, as libcurl sends it.
  var hostHeader: String {
    guard let port, port != (scheme == "https" ? 443 : 80) else { return host }
    return "\(host):\(port)"
  }
}
