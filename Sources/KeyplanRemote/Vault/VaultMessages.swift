/// The reasons and hints of the Vault backend, as sentences. None contains a value or text of an answer.
enum VaultMessages {
  static let noAddress = "The address of the Vault server is not set."
  static let addressHint = "Set the connection's \"address\", or VAULT_ADDR."
  static func badAddress(_ error: String) -> String { "The address of the Vault server cannot be used: \(error)." }
  static let queryInAddress = "The address of the Vault server contains a query."
  static let badNamespace = "The namespace is not a path of printable characters."
  static let halfIdentity = "A client certificate needs its private key, and a key needs its certificate."
  static let halfIdentityHint = "Set both \"clientCertificate\" and \"clientKey\"."
  static func fileMissing(_ field: String) -> String { "The file of the connection's \"\(field)\" does not exist." }

  static let noToken = "No token is configured for this Vault server."
  static let noTokenHint =
    "Set the connection's \"token\" or \"auth\", set VAULT_TOKEN, or sign in with: vault login"
  static let twoCredentials = "The connection has both a \"token\" and \"auth\"."
  static let twoCredentialsHint = "Remove one of them."
  static let noSecretId = "AppRole needs either \"secretId\" or \"wrappedSecretId\"."
  static let noServiceAccount = "The token of the service account is missing: this is not a pod."
  static let noIdentityToken = "The login has no token."

  static func denied(_ host: String) -> String { "\(host) denied access (HTTP 403)." }
  static func rejectedToken(_ host: String) -> String {
    "\(host) rejected the token: it is wrong, revoked or expired, or may not look itself up (HTTP 403)."
  }
  static let rejectedTokenHint = "Sign in again, or check the connection's token."
  static func sealed(_ host: String) -> String { "\(host) is sealed." }
  static let untrustedHint = "Set `ca` of the connection, or VAULT_CACERT, to the certificate of its authority."
  static let sealedHint = "Unseal the server (vault operator unseal), then try again."
  static func locked(_ host: String) -> String { "An administrator has locked the namespace on \(host)." }
  static let lockedHint = "Unlock it (vault namespace unlock), then try again."
  static func noMount(_ host: String) -> String { "\(host) has no secrets engine at this path." }
  static let noMountHint = "Check the first part of the path against: vault secrets list"
  static func noNamespace(_ host: String) -> String { "\(host) does not have this namespace." }
  static func otherVersion(_ host: String) -> String {
    "The mount on \(host) is of another version of the key-value engine than the connection states."
  }
  static let otherVersionHint = "Correct or remove the connection's \"kv\"."
  static func otherEngine(_ host: String) -> String { "The mount on \(host) is not a key-value engine." }
  static func mountDenied(_ host: String) -> String {
    "\(host) has no secrets engine at this path, or the token has no right to anything in it (HTTP 403)."
  }
  static func noSecretInPath(_ text: String) -> String { "\"\(text)\" is a mount, not a secret in it." }
  static func redirected(_ host: String) -> String {
    "\(host) redirects to a server that the connection does not list."
  }
  static let redirectedHint =
    "Set \"address\" to the active node, or list the address of the other node in \"nodes\"."
  static func behind(_ host: String) -> String { "\(host) has not caught up with the latest changes (HTTP 412)." }
  static func tooComplex(_ host: String) -> String { "\(host) does not accept a secret with so many fields." }

  static let readHint = "The token needs a policy with the capability \"read\" on the path."
  static let writeHint =
    "The token needs a policy with the capabilities \"create\", \"update\" and \"patch\" on the path."
  static func cannotWrite(_ path: String) -> String { "The token has no right to write \(path)." }

  static func deleted(on date: String?) -> String {
    date.map { "The secret was deleted on \($0)." } ?? "The secret was deleted."
  }
  static let addsData = "There is no such secret; keyplan adds \"data/\" to a path itself."
  static let destroyed = "The version of the secret was destroyed."
  static func noField(_ name: String) -> String { "The secret has no field \"\(name)\"." }
  static func severalFields(_ count: Int) -> String { "The secret has \(count) fields, and the reference names none." }
  static let severalFieldsHint = "Add the field's name: #FIELD"
  static let noVersions = "Version 1 of the key-value engine keeps no earlier versions."

  static func loginFailed(_ method: String, _ host: String, status: Int) -> String {
    "\(host) rejected the \(method) login (HTTP \(status))."
  }
  static func methodMissing(_ method: String, _ host: String) -> String {
    "\(host) has no \(method) login at this mount."
  }
  static let methodMissingHint = "Check the login's \"mount\" and the namespace."
  static let secondFactor = "The login requires a second factor, which only a person has."
  static let unwrappedBefore =
    "The wrapped secret id has been used before, or has expired. If it has not expired, somebody else has the secret id."
  static let unwrappedBeforeHint =
    "Treat it as stolen: destroy the secret id, find out who unwrapped it, and issue a new one."
  static let otherWrapped = "The wrapping token does not contain a secret id of this login."

  static let loginEnds =
    "keyplan revokes this login at the end of the run, and a credential ends with the token that made it."
  static let loginEndsHint =
    "Set the login role's token_type to \"batch\" and its token_ttl to the lifetime of the credentials, or set the connection's \"token\" to an orphan token."
  static let hasParent =
    "The token has a parent token. When that one ends, the token and its credentials end too, and the server does not report when."
  static let limitedUses =
    "The token has a limited number of uses, and a credential ends with the token that made it."
  static let orphanHint =
    "Use an orphan token that outlives the credentials: vault token create -orphan -policy=POLICY -period=768h"
  static func noRole(_ host: String) -> String { "\(host) has no such role at this mount." }
  static let noRoleHint = "Check the name of the role against: vault list MOUNT/roles"
  static let otherRole = "The id is not that of a credential of this role."
  static let leaseEnded = "The credential has ended or was revoked."
  static let mintHint = "The token needs a policy with the capability \"read\" on MOUNT/creds/ROLE."
  static let listHint =
    "The token needs a policy with the capabilities \"list\" and \"sudo\" on sys/leases/lookup/MOUNT/creds/ROLE."
  static let revokeHint = "The token needs a policy with the capability \"update\" on sys/leases/revoke."
  static let renewHint = "The token needs a policy with the capability \"update\" on sys/leases/renew."
}
