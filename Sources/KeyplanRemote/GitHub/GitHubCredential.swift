import KeyplanHTTP
import KeyplanModel
import KeyplanOAuth
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// The credential of a connection to GitHub.
enum GitHubCredential: Redacted, Sendable {
  case token(SecretBox)
  case app(id: String, installation: String, privateKey: SecretBox)

  /// - Throws: the reason that there is none.
  init(_ context: ConnectionContext, host: String) async throws(RemoteFailure) {
    let declared = context.connection.declared
    do throws(AccessFailure) {
      if declared.contains("token") {
        guard declared.isDisjoint(with: ["appId", "privateKey", "installation"]) else {
          throw AccessFailure(.unauthenticated, GitHubMessages.tokenAndApp)
        }
        if let token = try await context.secret("token") {
          self = .token(token)
          return
        }
      } else if !declared.isDisjoint(with: ["appId", "privateKey", "installation"]) {
        guard let id = context.text("appId"), let installation = context.text("installation"),
          let key = try await context.secret("privateKey")
        else { throw AccessFailure(.unauthenticated, GitHubMessages.incompleteApp) }
        self = .app(id: id, installation: installation, privateKey: key)
        return
      }
    } catch {
      throw RemoteFailure(error)
    }
    self = .token(try Self.token(in: context.environment, for: host))
  }

  /// The token of GitHub's own client. Variables for github.com are not sent to other hosts.
  private static func token(in environment: RemoteEnvironment, for host: String) throws(RemoteFailure) -> SecretBox {
    let isPublic = host == "api.github.com" || host.hasSuffix(".ghe.com")
    let names = isPublic ? ["GH_TOKEN", "GITHUB_TOKEN"] : ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    for name in names {
      guard let token = environment.variable(name) else { continue }
      // Tokens of GitHub Apps begin in the same way, but are not in this variable.
      guard name != "GITHUB_TOKEN" || !token.hasPrefix("ghs_") else {
        throw RemoteFailure(.denied, GitHubMessages.workflowToken, hint: GitHubMessages.workflowTokenHint)
      }
      return SecretBox(Array(token.utf8))
    }
    throw RemoteFailure(
      .unauthenticated, GitHubMessages.noToken, hint: GitHubMessages.noTokenHint(names[0]))
  }

  /// The assertion with which a GitHub App signs in as itself (RFC 7519), valid for nine minutes.
  /// - Parameter now: seconds since 1970.
  static func assertion(of app: String, _ privateKey: SecretBox, now: Int64) throws(RemoteFailure) -> SecretBox {
    func part(_ text: String) -> String { Base64URL.text(of: text.utf8) }
    // The clocks of this machine and of GitHub may differ. The id is checked by its pattern.
    let claims = #"{"iat":\#(now - 60),"exp":\#(now + 540),"iss":"\#(app)"}"#
    let signed = "\(part(#"{"alg":"RS256","typ":"JWT"}"#)).\(part(claims))"
    guard let signature = privateKey.withBytes({ RS256(pem: $0) })?.signature(of: signed) else {
      throw RemoteFailure(.unauthenticated, GitHubMessages.privateKey)
    }
    return SecretBox(Array("\(signed).\(signature)".utf8))
  }
}
