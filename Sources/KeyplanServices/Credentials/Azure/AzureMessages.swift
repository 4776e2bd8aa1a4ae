/// The reasons and hints for failures of Azure's credential chain, as sentences. None contains a value, or text of a file
/// or of a service's answer.
package enum AzureMessages {
  package static let chainHint =
    "Set `tenant`, `client` and `clientSecret` or `jwt` in the connection, or AZURE_TENANT_ID, AZURE_CLIENT_ID and "
    + "AZURE_CLIENT_SECRET, or run keyplan where Azure provides a managed identity."
  package static let noApplication = "The tenant and the client are not both set."
  package static let encryptedKey = "The client certificate has a password, which is not supported."
  package static let notPEM =
    "The client certificate is not a PEM file with a certificate and its unencrypted private key."
  package static let certificateRejected = "Microsoft's identity platform rejected the client certificate."
  package static let federationRejected = "Microsoft's identity platform rejected the federated token."
  package static let checkApplication = "Check the tenant, the client, and the credentials of its app registration."
  package static func unsupportedIdentity(_ what: String) -> String {
    "The environment has a kind of managed identity that is not supported (\(what))."
  }
  package static let identityAddress = "The address of the managed identity is not one of the hosts that Azure uses."
  package static let noIdentity = "No managed identity is assigned here, or not the one with this client ID."
  package static func identityStatus(_ status: Int) -> String { "The managed identity answered with HTTP \(status)." }
  package static let identityForm = "The managed identity answered in another form than expected."
}
