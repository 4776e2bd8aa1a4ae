import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// A role of a secrets engine. Each credential that it makes has a lease, whose id begins with the path of the role.
struct VaultRole: Sendable {
  /// `MOUNT/creds/ROLE`.
  let path: VaultPath

  init?(mount: String, role: String) {
    guard VaultPath(role)?.segments.count == 1, let path = VaultPath("\(mount)/creds/\(role)") else { return nil }
    self.path = path
  }

  /// Makes a credential, although it is a read. No answer shows that a second one would not be made.
  var minting: VaultRequest { .get(path.segments, isRepeatable: false) }

  var listing: VaultRequest { .get(["sys", "leases", "lookup"] + path.segments, query: "?list=true") }

  /// Whether an id is that of a lease of this role.
  func owns(_ lease: String) -> Bool {
    guard let segments = VaultPath(lease)?.segments else { return false }
    return segments.count == path.segments.count + 1 && segments.starts(with: path.segments)
  }
}

extension VaultRequest {
  static func lookingUp(lease id: String) -> VaultRequest { .lease("lookup", id) }

  /// With `sync`, the answer follows the end of the credential, and is an error if the database is not reached.
  static func revoking(lease id: String) -> VaultRequest { .lease("revoke", id, ",\"sync\":true") }

  static func renewing(lease id: String) -> VaultRequest { .lease("renew", id) }

  private static func lease(_ action: String, _ id: String, _ more: String = "") -> VaultRequest {
    var body = SecretWriter()
    body.append("{\"lease_id\":")
    JSONText.write(id, to: &body)
    body.append("\(more)}")
    return .post(["sys", "leases", action], body.finished(), isRepeatable: true)
  }
}

extension VaultClient {
  /// Whether a lease exists; nil if the token has no right to look it up.
  func hasLease(_ id: String) async throws(RemoteFailure) -> Bool? {
    let answer = try await send(.lookingUp(lease: id))
    switch answer.meaning {
    case .ok:
      guard answer.text("data", "id") == id else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(try await server().host))
      }
      return true
    case .refused where answer.states("invalid lease"): return false
    case .denied: return nil
    default: throw answer.failure()
    }
  }

  var now: Moment { get async throws(RemoteFailure) { Moment(seconds: try await server().transport.now()) } }
}

extension VaultAnswer {
  /// A number of seconds below the root, as long as a lease or a token can live.
  func duration(_ names: String...) -> Interval? {
    guard let json, let text = json[names].flatMap({ json.number($0) }), let seconds = Int64(text),
      (0...Interval.days(36_500).seconds).contains(seconds)
    else { return nil }
    return Interval(seconds: seconds)
  }
}
