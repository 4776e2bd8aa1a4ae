import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// The credentials that a role makes. The id of one is that of its lease.
struct VaultIssuer: KeyIssuing {
  private let client: VaultClient

  init(_ client: VaultClient) { self.client = client }

  var connection: Connection { client.context.connection }
  var hasLabels: Bool { false }

  func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey] {
    let role = try role(at: place)
    do throws(RemoteFailure) {
      return try await leases(of: role).map { ListedKey(id: $0) }
    } catch {
      throw .listing(error)
    }
  }

  func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey {
    let role = try role(at: place)
    let (answer, host, now, last): (VaultAnswer, String, Moment, Moment?)
    do throws(RemoteFailure) {
      let token = try await client.token()
      last = try await client.lastEnd(ofCredentialsBy: token)
      host = try await client.server().host
      now = try await client.now
      answer = try await client.sendOnce(role.minting, with: token)
    } catch {
      throw .before(error)
    }
    guard answer.meaning == .ok else { throw mintFailure(answer, host) }
    let id = answer.text("lease_id").flatMap { role.owns($0) ? $0 : nil }
    guard let id, let duration = answer.duration("lease_duration"), let parts = answer.parts else {
      throw KeyIssuerFailure(.unknown, IssuerMessages.keyNotReceived(host), id: id)
    }
    return MintedKey(id: id, parts: parts, expires: Self.earlier(now + duration, last))
  }

  func orphans(
    of labels: [String], at place: Destination
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    throw KeyIssuerFailure(.unsupported, IssuerMessages.noLabels)
  }

  func disable(_ id: String, label: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    throw KeyIssuerFailure(.unsupported, IssuerMessages.noDisable)
  }

  func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    try check(id, at: place)
    let (answer, host): (VaultAnswer, String)
    do throws(RemoteFailure) {
      // The server reports success for a lease that does not exist, too.
      if try await client.hasLease(id) == false { return .alreadyGone }
      host = try await client.server().host
      answer = try await client.send(.revoking(lease: id))
    } catch {
      throw .before(error)
    }
    let failure = answer.failure(rights: VaultMessages.revokeHint)
    guard answer.wasSent else { throw KeyIssuerFailure(.unreachable, failure) }
    if answer.isRefusal, [.denied, .throttled].contains(answer.meaning) {
      throw KeyIssuerFailure(KeyIssuerFailure.Kind(answer.meaning), failure)
    }
    let exists: Bool?
    do throws(RemoteFailure) {
      exists = try await client.hasLease(id)
    } catch {
      throw KeyIssuerFailure(.unknown, IssuerMessages.unconfirmed(host, error.reason))
    }
    let isConfirmed = answer.meaning == .ok
    guard exists ?? !isConfirmed else { return .done }
    if isConfirmed { throw KeyIssuerFailure(.refused, IssuerMessages.stillListed(host)) }
    guard answer.isRefusal else { throw KeyIssuerFailure(.unknown, IssuerMessages.unconfirmed(host, failure.reason)) }
    throw KeyIssuerFailure(.refused, failure)
  }

  func renew(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Moment? {
    try check(id, at: place)
    let (answer, host, now, last): (VaultAnswer, String, Moment, Moment?)
    do throws(RemoteFailure) {
      // The server renews a lease beyond the end of its token. The token of this login did not make it.
      last = try await client.token().isOurs ? nil : client.life().end
      host = try await client.server().host
      now = try await client.now
      answer = try await client.send(.renewing(lease: id))
    } catch {
      throw .before(error)
    }
    let failure = answer.failure(rights: VaultMessages.renewHint)
    guard answer.wasSent else { throw KeyIssuerFailure(.unreachable, failure) }
    if answer.isRefusal {
      guard !answer.states("lease not found") else { throw KeyIssuerFailure(.refused, VaultMessages.leaseEnded) }
      throw KeyIssuerFailure(KeyIssuerFailure.Kind(answer.meaning), failure)
    }
    guard answer.meaning == .ok, answer.text("lease_id") == id, let duration = answer.duration("lease_duration") else {
      let reason = answer.meaning == .ok ? RemoteMessages.wrongShape(host) : failure.reason
      throw KeyIssuerFailure(.unknown, IssuerMessages.unconfirmed(host, reason))
    }
    return Self.earlier(now + duration, last)
  }

  func exists(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Bool? {
    try check(id, at: place)
    do throws(RemoteFailure) {
      return try await client.hasLease(id)
    } catch {
      throw .before(error)
    }
  }

  private func role(at place: Destination) throws(KeyIssuerFailure) -> VaultRole {
    let fields = client.context.backend.issuer?.place.values(at: place.location)
    guard let mount = fields?["mount"], let name = fields?["role"], let role = VaultRole(mount: mount, role: name)
    else {
      throw KeyIssuerFailure(.refused, IssuerMessages.otherPlace(place.location))
    }
    return role
  }

  /// The server ends any lease whose id it gets: only those of the place are sent.
  private func check(_ id: String, at place: Destination) throws(KeyIssuerFailure) {
    guard try role(at: place).owns(id) else { throw KeyIssuerFailure(.refused, VaultMessages.otherRole) }
  }

  private func leases(of role: VaultRole) async throws(RemoteFailure) -> [String] {
    let answer = try await client.send(role.listing)
    // An empty list is a 404, and so are many other things.
    if answer.meaning == .missing, answer.json?["errors"]?.elements?.isEmpty == true { return [] }
    guard [.ok, .missing].contains(answer.meaning) else { throw answer.failure(rights: VaultMessages.listHint) }
    let host = try await client.server().host
    guard let json = answer.json, let keys = json["data", "keys"]?.elements else {
      throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
    }
    var leases: [String] = []
    for key in keys {
      guard let name = json.text(key) else { throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host)) }
      let lease = "\(role.path.text)/\(name)"
      guard role.owns(lease) else { throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host)) }
      leases.append(lease)
    }
    guard Set(leases).count == leases.count else {
      throw RemoteFailure(.unreadable, IssuerMessages.duplicate(host))
    }
    return leases
  }

  private func mintFailure(_ answer: VaultAnswer, _ host: String) -> KeyIssuerFailure {
    let failure = answer.failure(rights: VaultMessages.mintHint)
    guard answer.wasSent, answer.meaning != .sealed else { return KeyIssuerFailure(.unreachable, failure) }
    guard answer.isRefusal else { return KeyIssuerFailure(.unknown, IssuerMessages.lostMint(host, failure.reason)) }
    guard !answer.mentions("unknown role") else {
      return KeyIssuerFailure(.refused, VaultMessages.noRole(host), hint: VaultMessages.noRoleHint)
    }
    return KeyIssuerFailure(KeyIssuerFailure.Kind(answer.meaning), failure)
  }

  private static func earlier(_ end: Moment, _ last: Moment?) -> Moment { last.map { min(end, $0) } ?? end }
}

extension VaultAnswer {
  /// The values of a credential.
  fileprivate var parts: KeyParts? {
    guard let json else { return nil }
    var parts: [String: SecretBox] = [:]
    for name in ["password", "username"] {
      guard let value = json["data", name].flatMap({ json.secret($0) }), value.count > 0 else { return nil }
      parts[name] = value
    }
    return KeyParts(parts)
  }
}
