import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// The actions of the Security Token Service that keyplan uses.
enum AWSTokenService {
  /// A role to assume.
  struct Role: Sendable {
    let arn: String
    var sessionName: String?
    var externalId: String?
    var duration: String?

    fileprivate var parameters: [(name: String, value: HTTPValue)] {
      let texts = [
        ("RoleArn", arn), ("RoleSessionName", sessionName ?? "keyplan"), ("ExternalId", externalId),
        ("DurationSeconds", duration),
      ]
      return texts.compactMap { name, text in text.map { (name, .open($0)) } }
    }
  }

  /// `AssumeRole`.
  static func assume(_ role: Role, _ client: AWSClient) async throws(RemoteFailure) -> AWSCredentials {
    do throws(AWSError) {
      return try credentials(in: try await client.query("AssumeRole", role.parameters))
    } catch {
      throw rejection(error, AWSMessages.roleRejected)
    }
  }

  /// `AssumeRoleWithWebIdentity`, without a signature.
  static func assume(
    _ role: Role, with token: SecretBox, _ client: AWSClient
  ) async throws(RemoteFailure) -> AWSCredentials {
    do throws(AWSError) {
      let parameters = role.parameters + [("WebIdentityToken", .secret(token))]
      return try credentials(in: try await client.query("AssumeRoleWithWebIdentity", parameters))
    } catch {
      throw rejection(error, AWSMessages.tokenRejected)
    }
  }

  /// `GetCallerIdentity`: the ARN of the identity.
  static func identity(_ client: AWSClient) async throws(RemoteFailure) -> String {
    do throws(AWSError) {
      let response = try await client.query("GetCallerIdentity")
      let arn: String?
      if let json = JSONAnswer(response.body) {
        arn = json.member("GetCallerIdentityResponse")
          .flatMap { json.member("GetCallerIdentityResult", of: $0) }.flatMap { json.text("Arn", of: $0) }
      } else {
        arn = XMLElement.text("Arn", in: response.body)
      }
      guard let arn, arn.hasPrefix("arn:"), arn.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw AWSError(
          failure: RemoteFailure(.unreadable, RemoteMessages.wrongShape(client.endpoint.address.host)))
      }
      return arn
    } catch {
      throw error.failure
    }
  }

  /// A refused sign-in is not a missing permission for a secret.
  private static func rejection(_ error: AWSError, _ reason: String) -> RemoteFailure {
    switch error.answer {
    case _ where error.code == "RegionDisabledException":
      RemoteFailure(.unauthenticated, AWSMessages.regionDisabled, hint: AWSMessages.useOtherRegion)
    case .unreachable where error.code.hasPrefix("IDPCommunicationError"):
      RemoteFailure(.unreachable, AWSMessages.providerUnreachable)
    case .denied, .refused, .missing, .exists:
      RemoteFailure(.unauthenticated, reason, hint: AWSMessages.checkTrust)
    case .unauthenticated where error.failure.hint == nil:
      RemoteFailure(.unauthenticated, reason, hint: AWSMessages.checkTrust)
    default: error.failure
    }
  }

  private static func credentials(in response: HTTPResponse) throws(AWSError) -> AWSCredentials {
    let found: AWSCredentials?
    if let json = JSONAnswer(response.body) {
      let credentials = json.onlyMember.flatMap { answer in
        json.members(of: answer).first { $0.name.hasSuffix("Result") }
      }.flatMap { json.member("Credentials", of: $0.value) }
      found = credentials.flatMap { node in
        AWSCredentials(
          json.text("AccessKeyId", of: node), json.secret("SecretAccessKey", of: node),
          token: json.secret("SessionToken", of: node), expires: json.time("Expiration", of: node))
      }
    } else {
      found = AWSCredentials(
        XMLElement.text("AccessKeyId", in: response.body), XMLElement.secret("SecretAccessKey", in: response.body),
        token: XMLElement.secret("SessionToken", in: response.body),
        expires: XMLElement.text("Expiration", in: response.body).flatMap { AWSTime.seconds($0) })
    }
    guard let found, found.sessionToken != nil else {
      throw AWSError(failure: RemoteFailure(.unreadable, AWSMessages.noCredentials))
    }
    return found
  }
}

extension JSONAnswer {
  fileprivate func members(of node: JSONNode) -> [JSONMember] {
    if case .object(let members) = node.content { members } else { [] }
  }

  fileprivate var onlyMember: JSONNode? { members(of: root).count == 1 ? members(of: root)[0].value : nil }

  /// A time that is a text, or a number of seconds with or without a fraction.
  func time(_ name: String, of node: JSONNode? = nil) -> Int64? {
    guard let value = member(name, of: node) else { return nil }
    if let text = text(value) { return AWSTime.seconds(text) }
    return number(value).flatMap { Double($0) }.flatMap { Int64(exactly: $0.rounded(.down)) }
  }
}
