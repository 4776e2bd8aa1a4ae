extension SecretAPI {
  /// A JSON Web Token that the connection's own key signs with RS256: the assertion of a login (RFC 7523), or itself the
  /// credential of requests. It is the variable `{assertion}`.
  ///
  /// `alg`, `typ`, `iat`, `exp` and `jti` are not a description's to choose.
  package struct Assertion: Hashable, Sendable {
    /// The RSA key in PEM form.
    package let key: Template
    /// Further members of the header.
    package var header = BodyTree.object([])
    /// Further claims.
    package var claims = BodyTree.object([])
    /// The lifetime in seconds.
    package var lifetime = 300

    /// The names of all variables.
    package var variables: Set<String> { key.variables.union(header.variables).union(claims.variables) }

    package static let variable = "assertion"
    package static let ownHeader: Set<String> = ["alg", "typ"]
    package static let ownClaims: Set<String> = ["iat", "exp", "nbf", "jti"]
    /// No service accepts a longer one.
    package static let longest = 3600
  }

  /// AWS's Signature Version 4 of each request.
  package struct AWSSignature: Hashable, Sendable {
    /// The service as the signature names it: `execute-api`.
    package let service: String
    package let region: Template
    package let accessKeyId: Template
    package let secretAccessKey: Template
    /// That of a temporary access key; without a value, there is none.
    package var sessionToken: Template?

    /// The names of the variables without which nothing can be signed.
    package var required: Set<String> { region.variables.union(accessKeyId.variables).union(secretAccessKey.variables) }
    /// The names of all variables.
    package var variables: Set<String> { required.union(sessionToken?.variables ?? []) }
  }

  /// Members of a credential that is a JSON object, such as the key file of a service account, as variables.
  package struct MemberSet: Hashable, Sendable {
    /// The field with the object.
    package let field: String
    package let members: [Named<AnswerPointer>]
  }
}
