import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Makes, lists, disables and revokes the access keys of IAM users. They have no labels.
struct AccessKeyIssuer: KeyIssuing {
  let session: AWSSession

  var connection: Connection { session.context.connection }
  var hasLabels: Bool { false }
  /// IAM is eventually consistent.
  var listDelay: Interval { Interval(seconds: 15) }

  func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey] {
    try await keys(try await api(at: place)).map { ListedKey(id: $0.id, created: $0.created) }
  }

  func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey {
    let api = try await api(at: place)
    let created: AccessKeyAPI.Created
    do throws(AWSError) {
      created = try await api.create()
    } catch {
      guard error.wasSent else { throw .before(error.failure) }
      guard error.isRefusal else {
        throw KeyIssuerFailure(.unknown, IssuerMessages.lostMint(api.host, error.failure.reason))
      }
      guard !error.isNoSuchEntity else { throw .noUser(api.user) }
      guard error.code != "LimitExceeded" else {
        throw KeyIssuerFailure(.refused, AWSMessages.twoKeys(api.user), hint: AWSMessages.deleteKey(api.user))
      }
      throw KeyIssuerFailure(KeyIssuerFailure.Kind(error.answer), error.failure)
    }
    guard let id = created.id, let secret = created.secret else {
      throw KeyIssuerFailure(.unknown, IssuerMessages.keyNotReceived(api.host), id: created.id)
    }
    return MintedKey(
      id: id, parts: KeyParts(["accessKeyId": SecretBox(Array(id.utf8)), "secretAccessKey": secret]))
  }

  func orphans(
    of labels: [String], at place: Destination
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    throw KeyIssuerFailure(.unsupported, IssuerMessages.noLabels)
  }

  func disable(_ id: String, label: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    let api = try await api(at: place)
    do throws(AWSError) {
      try await api.deactivate(id)
      return .done
    } catch {
      guard let listed = try await entry(id, api, after: error) else { return .alreadyGone }
      guard !listed.isActive else { throw .unconfirmed(error, at: api.host) }
      return .done
    }
  }

  func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    let api = try await api(at: place)
    do throws(AWSError) {
      try await api.delete(id)
      return .done
    } catch {
      guard try await entry(id, api, after: error) == nil else { throw .unconfirmed(error, at: api.host) }
      return error.isRefusal ? .alreadyGone : .done
    }
  }

  /// The key in the list after a request to end it was not confirmed; nil if it is not there.
  /// - Throws: `KeyIssuerFailure` if the request was not carried out, or the list does not show its result.
  private func entry(
    _ id: String, _ api: AccessKeyAPI, after error: AWSError
  ) async throws(KeyIssuerFailure) -> AccessKeyAPI.Entry? {
    guard error.wasSent else { throw .before(error.failure) }
    guard !error.isRefusal || error.isNoSuchEntity else {
      throw KeyIssuerFailure(KeyIssuerFailure.Kind(error.answer), error.failure)
    }
    let listed: AccessKeyAPI.Entry?
    do throws(KeyIssuerFailure) {
      listed = try await keys(api).first { $0.id == id }
    } catch let unlisted {
      // Without the user, the refusal was about the user.
      if error.isRefusal, unlisted.kind == .refused { throw unlisted }
      throw .unconfirmed(error, at: api.host, hint: unlisted.hint)
    }
    guard listed == nil || !error.isRefusal else {
      throw KeyIssuerFailure(.refused, IssuerMessages.stillListed(api.host))
    }
    return listed
  }

  private func keys(_ api: AccessKeyAPI) async throws(KeyIssuerFailure) -> [AccessKeyAPI.Entry] {
    do throws(AWSError) {
      return try await api.keys()
    } catch {
      guard !error.isNoSuchEntity else { throw .noUser(api.user) }
      throw .listing(error.failure)
    }
  }

  private func api(at place: Destination) async throws(KeyIssuerFailure) -> AccessKeyAPI {
    // Without a name, IAM would take the user whose credential signs the request.
    guard let user = session.context.backend.issuer?.place.values(at: place.location)?[AccessKeyBackend.user.name],
      AccessKeyBackend.user.pattern?.matches(Array(user.utf8)) == true
    else { throw KeyIssuerFailure(.refused, IssuerMessages.otherPlace(place.location)) }
    do throws(RemoteFailure) {
      return AccessKeyAPI(client: try await session.client(.iam), user: user)
    } catch {
      throw .before(error)
    }
  }
}

extension AWSError {
  /// Whether the service may have received the request.
  fileprivate var wasSent: Bool { status != 0 || mayHaveArrived }

  /// Whether it shows that nothing happened. A gateway answers with 5xx or a redirection whatever became of the request.
  fileprivate var isRefusal: Bool { (400..<500).contains(status) && status != 408 }

  /// Whether there is no such user, or no such key of it.
  fileprivate var isNoSuchEntity: Bool { isRefusal && code == "NoSuchEntity" }
}

extension KeyIssuerFailure {
  fileprivate static func noUser(_ user: String) -> KeyIssuerFailure {
    KeyIssuerFailure(.refused, AWSMessages.noUser(user), hint: AWSMessages.checkUser)
  }

  fileprivate static func unconfirmed(_ error: AWSError, at host: String, hint: String? = nil) -> KeyIssuerFailure {
    KeyIssuerFailure(.unknown, IssuerMessages.unconfirmed(host, error.failure.reason), hint: hint)
  }
}
