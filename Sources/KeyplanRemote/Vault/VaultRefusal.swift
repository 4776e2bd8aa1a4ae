/// The reason that a server refuses a login, recognized by a part of its message. The message itself is not shown.
struct VaultRefusal: Sendable {
  /// A part of the message, as Vault and OpenBao have it.
  let text: String
  let reason: String
  let hint: String?

  /// In order of precedence.
  static let all: [VaultRefusal] = [
    VaultRefusal(
      text: "invalid role or secret ID", reason: "The role id or the secret id is wrong, used up or expired.",
      hint: "Issue a new secret id: vault write -f auth/approle/role/ROLE/secret-id"),
    VaultRefusal(
      text: "could not be found", reason: "The login has no such role.",
      hint: "Check the role's name and the login's \"mount\"."),
    VaultRefusal(
      text: "invalid role name", reason: "The login has no such role.",
      hint: "Check the role's name and the login's \"mount\"."),
    VaultRefusal(
      text: "invalid expiration time", reason: "The identity token has expired.",
      hint: "Such tokens live for minutes. Check this machine's clock and the server's."),
    VaultRefusal(
      text: "(aud) claim", reason: "The identity token is for another audience.",
      hint: "Make the audience one of the role's bound_audiences."),
    VaultRefusal(
      text: "no audiences bound", reason: "The identity token has an audience, and the role accepts none.",
      hint: "Add the audience to the role's bound_audiences."),
    VaultRefusal(
      text: "error validating claims", reason: "The identity token does not have the claims that the role requires.",
      hint: "Compare the job's repository, branch and environment with the role's bound_claims."),
    VaultRefusal(
      text: "(iss) claim", reason: "The identity token is from another issuer.",
      hint: "Compare the token's issuer with the login's bound_issuer."),
    VaultRefusal(
      text: "(sub) claim", reason: "The identity token is for another subject.",
      hint: "Compare the token's subject with the role's bound_subject."),
    VaultRefusal(
      text: "(iat) claim", reason: "The identity token was issued in the future.",
      hint: "Check this machine's clock and the server's."),
    VaultRefusal(
      text: "(alg) header", reason: "The identity token is signed with an algorithm that the login does not accept.",
      hint: "Check the login's jwt_supported_algs."),
    VaultRefusal(
      text: "(nbf) claim", reason: "The identity token is not valid yet, or does not say from when.",
      hint: "Check this machine's clock and the server's."),
    VaultRefusal(
      text: "signature", reason: "The identity token is not signed by an issuer that the login trusts.",
      hint: "Check the login's oidc_discovery_url or jwt_validation_pubkeys."),
    VaultRefusal(
      text: "service account name not authorized", reason: "The role does not accept this service account.",
      hint: "Add it to the role's bound_service_account_names."),
    VaultRefusal(
      text: "namespace not authorized", reason: "The role does not accept the service account's namespace.",
      hint: "Add it to the role's bound_service_account_namespaces."),
    VaultRefusal(
      text: "could not load backend configuration", reason: "The login is not configured on the server.", hint: nil),
    VaultRefusal(
      text: "invalid certificate", reason: "No role accepts the client certificate, or none was sent.",
      hint: "Set \"clientCertificate\" and \"clientKey\" to a certificate that a role accepts."),
  ]
}
