/// The reasons and hints for failures of Azure's credential chain, as sentences. None contains a value, or text of a file
/// or of a service's answer.
enum AzureMessages {
  static let chainHint =
    "Set `tenant`, `client` and `clientSecret` or `jwt` in the connection, or AZURE_TENANT_ID, AZURE_CLIENT_ID and "
    + "AZURE_CLIENT_SECRET, or run keyplan where Azure provides a managed identity."
  static let noApplication = "The tenant and the client are not both set."
  static func noFile(_ path: String) -> String { "There is no file at \(path)." }
  static let encryptedKey = "The client certificate has a password, which is not supported."
  static let notPEM = "The client certificate is not a PEM file with a certificate and its unencrypted private key."
  static let certificateRejected = "Microsoft's identity platform rejected the client certificate."
  static let federationRejected = "Microsoft's identity platform rejected the federated token."
  static let checkApplication = "Check the tenant, the client, and the credentials of its app registration."
  static func unsupportedIdentity(_ what: String) -> String {
    "The environment has a kind of managed identity that is not supported (\(what))."
  }
  static let identityAddress = "The address of the managed identity is not one of the hosts that Azure uses."
  static let noIdentity = "No managed identity is assigned here, or not the one with this client ID."
  static func identityStatus(_ status: Int) -> String { "The managed identity answered with HTTP \(status)." }
  static let identityForm = "The managed identity answered in another form than expected."
}
