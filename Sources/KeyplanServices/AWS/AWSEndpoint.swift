package import KeyplanHTTP

/// The address of a service in a region.
package struct AWSEndpoint: Sendable {
  package let address: HTTPAddress
  package let service: AWSService
  /// The region that signatures are for.
  package let region: String

  package var host: String { address.hostHeader }

  /// - Parameter override: the address that the user's environment or profile has for the service; nil for AWS's own.
  package init(_ service: AWSService, in region: String, at override: String?) throws(RemoteFailure) {
    let partition = Self.otherPartitions.first { region.hasPrefix($0.prefix) }
    self.service = service
    self.region = service.isGlobal ? partition?.home ?? "us-east-1" : region
    guard let override else {
      // The hosts of other partitions are not among those that the connection names.
      guard partition.map({ $0.hasUsualHosts && !service.isGlobal }) ?? true else {
        throw RemoteFailure(
          .unreadable, AWSEndpointMessages.otherPartition(region), hint: AWSEndpointMessages.setEndpoint(service))
      }
      address = try Self.address("https://\(service.host(in: region))/")
      return
    }
    let address = try Self.address(override.hasSuffix("/") ? override : override + "/")
    let path = address.text.dropFirst(address.scheme.count + 3).drop { $0 != "/" }
    guard path == "/" else { throw RemoteFailure(.unreadable, AWSEndpointMessages.invalidEndpoint) }
    self.address = address
  }

  /// A group of regions with accounts of their own (botocore, `endpoints.json` and `partitions.json`).
  private struct Partition {
    /// The prefix of its regions' names.
    let prefix: String
    /// The region that requests to its global services are signed for.
    let home: String
    /// Whether its regional services are at `amazonaws.com`.
    var hasUsualHosts = false
  }

  private static let otherPartitions = [
    Partition(prefix: "us-gov-", home: "us-gov-west-1", hasUsualHosts: true),
    Partition(prefix: "cn-", home: "cn-north-1"), Partition(prefix: "us-isob-", home: "us-isob-east-1"),
    Partition(prefix: "us-isof-", home: "us-isof-south-1"), Partition(prefix: "us-iso", home: "us-iso-east-1"),
    Partition(prefix: "eu-isoe-", home: "eu-isoe-west-1"), Partition(prefix: "eusc-", home: "eusc-de-east-1"),
  ]

  /// Whether a text can be a region, and so a part of a host's name.
  package static func isRegion(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && !text.hasPrefix("-") && !text.hasSuffix("-")
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  private static func address(_ text: String) throws(RemoteFailure) -> HTTPAddress {
    do throws(HTTPError) {
      return try HTTPAddress(text)
    } catch {
      throw RemoteFailure(.unreadable, "\(AWSEndpointMessages.invalidEndpoint) \(error).", hint: error.hint)
    }
  }
}

extension HTTPAddress {
  /// The header `Host`, as libcurl sends it.
  package var hostHeader: String {
    guard let port, port != (scheme == "https" ? 443 : 80) else { return host }
    return "\(host):\(port)"
  }
}
