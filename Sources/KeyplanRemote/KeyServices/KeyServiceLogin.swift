internal import KeyplanModel

/// A job's sign-in to the service of a key, in addition to the service's own variables: with the token that its CI service issues.
package struct KeyServiceLogin: Hashable, Sendable {
  /// The role: of the login of Vault, or the ARN of one of AWS.
  package let role: String
  package let token: Token
  /// The mount of Vault's login method; nil for `jwt`.
  package let mount: String?

  package enum Token: Hashable, Sendable {
    /// GitHub Actions issues it, for this audience.
    case github(audience: String)
    /// Another CI service has put it into this variable.
    case variable(String)
  }

  package init(role: String, token: Token, mount: String? = nil) {
    (self.role, self.token, self.mount) = (role, token, mount)
  }

  /// The value of a connection's field for the token.
  var value: Connection.Value {
    switch token {
    case .github(let audience): .githubToken(audience: audience)
    case .variable(let name): .secret(Reference(scheme: "env", location: name, isLocal: true))
    }
  }
}
