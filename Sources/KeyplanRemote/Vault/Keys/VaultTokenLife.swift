import KeyplanJSON
import KeyplanModel
import KeyplanServices

/// The lifetime of a token. A lease ends with the token that made it.
struct VaultTokenLife: Sendable {
  /// Nil for a token that does not expire.
  let end: Moment?
  /// Whether it ends with the token that made it.
  let hasParent: Bool
  /// Whether it ends after a number of requests.
  let hasLimitedUses: Bool
}

extension VaultClient {
  /// The latest end of a credential that this token makes; nil for never, or if the server says so itself.
  /// - Throws: `RemoteFailure` if it would end at a time that is not known now.
  func lastEnd(ofCredentialsBy token: VaultToken) async throws(RemoteFailure) -> Moment? {
    if token.isOurs {
      guard !token.isRevocable else {
        throw RemoteFailure(.refused, VaultMessages.loginEnds, hint: VaultMessages.loginEndsHint)
      }
      // A batch token is never revoked, and the leases that it makes have its end, also when they are renewed.
      return nil
    }
    let life = try await life()
    guard !life.hasParent else {
      throw RemoteFailure(.refused, VaultMessages.hasParent, hint: VaultMessages.orphanHint)
    }
    guard !life.hasLimitedUses else {
      throw RemoteFailure(.refused, VaultMessages.limitedUses, hint: VaultMessages.orphanHint)
    }
    return life.end
  }

  /// The lifetime of the connection's token.
  func life() async throws(RemoteFailure) -> VaultTokenLife {
    let now = try await now
    let answer = try await send(Self.lookUp)
    guard answer.meaning == .ok else { throw answer.failure() }
    guard let json = answer.json, let left = answer.duration("data", "ttl"),
      let uses = json.wholeNumber("data", "num_uses"), case .bool(let isOrphan)? = json["data", "orphan"]?.content
    else { throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(try await server().host)) }
    let isEndless = left.seconds == 0 && answer.text("data", "expire_time") == nil
    return VaultTokenLife(end: isEndless ? nil : now + left, hasParent: !isOrphan, hasLimitedUses: uses != 0)
  }
}
