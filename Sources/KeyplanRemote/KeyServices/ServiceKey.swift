import KeyplanServices

/// A key of a key management service, which never leaves the service: the service encrypts and decrypts with it.
package enum ServiceKey: Hashable, Sendable {
  /// A symmetric key of AWS KMS, by its ARN. Not by an alias: what an alias names can be changed.
  case aws(arn: String, region: String)
  /// A key of the transit engine of Vault or OpenBao.
  case transit(address: String, mount: String, name: String)

  /// `arn:aws:kms:REGION:ACCOUNT:key/ID`, or `https://HOST/v1/MOUNT/keys/NAME`, as SOPS writes them.
  package init?(_ text: String) {
    if let key = Self.aws(text) ?? Self.transit(text) { self = key } else { return nil }
  }

  private static func aws(_ text: String) -> ServiceKey? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "arn", parts[2] == "kms", AWSEndpoint.isRegion(String(parts[3])),
      AWSAccount.owner(of: text) != nil, parts[5].hasPrefix("key/"), parts[5].utf8.count <= 100,
      parts[5].dropFirst(4).utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }), parts[5].utf8.count > 4
    else { return nil }
    return .aws(arn: text, region: String(parts[3]))
  }

  private static func transit(_ text: String) -> ServiceKey? {
    guard text.hasPrefix("https://") || text.hasPrefix("http://"), let mark = text.firstRange(of: "/v1/"),
      let path = VaultPath(String(text[mark.upperBound...])), path.segments.count >= 3,
      path.segments[path.segments.count - 2] == "keys", let name = path.segments.last,
      path.segments.allSatisfy({ segment in
        segment.utf8.allSatisfy { $0.isLetterOrDigit || [0x2D, 0x2E, 0x5F].contains($0) }
      })
    else { return nil }
    let mount = path.segments.dropLast(2).joined(separator: "/")
    return .transit(address: String(text[..<mark.lowerBound]), mount: mount, name: name)
  }
}

extension ServiceKey: CustomStringConvertible {
  package var description: String {
    switch self {
    case .aws(let arn, _): arn
    case .transit(let address, let mount, let name): "\(address)/v1/\(mount)/keys/\(name)"
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
  }
}
