import KeyplanHTTP
import KeyplanServices

/// The path of a secret, beginning with its mount.
struct VaultPath: Hashable, Sendable {
  /// Not empty; none is empty, `.` or `..`.
  let segments: [String]

  /// Nil for a text that is not a path, or that another parser could resolve to another one.
  init?(_ text: String) {
    let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    // Encoding one refuses dot segments, also between backslashes, and control characters.
    guard segments.allSatisfy({ (try? PathSegment.encode($0, of: "path")) != nil }) else { return nil }
    self.segments = segments
  }

  var text: String { segments.joined(separator: "/") }

  /// The segments below the mount; nil if there are none.
  func part(below mount: VaultMount) -> [String]? {
    let rest = segments.dropFirst(mount.path.count)
    return rest.isEmpty ? nil : Array(rest)
  }
}

/// A secret and one of its fields, as named by a reference.
struct VaultAddress: Sendable {
  let secret: VaultSecretName
  /// Nil for the only one.
  let field: String?

  /// - Parameter selector: `field`, or `field?version=3`.
  init?(location: String, selector: String?) {
    guard let path = VaultPath(location) else { return nil }
    guard let selector, let mark = selector.ranges(of: "?version=").last,
      let version = Int(selector[mark.upperBound...]), version > 0
    else {
      secret = VaultSecretName(path: path, version: nil)
      field = selector
      return
    }
    secret = VaultSecretName(path: path, version: version)
    field = mark.lowerBound == selector.startIndex ? nil : String(selector[..<mark.lowerBound])
  }
}

struct VaultSecretName: Hashable, Sendable {
  let path: VaultPath
  /// Nil for the current one.
  let version: Int?
}
