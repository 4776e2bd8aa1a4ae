/// The reasons and hints for failures of Google's credential chain, as sentences. None contains a value, or text of a
/// credential file or of a service's answer.
package enum GoogleMessages {
  package static let chainHint =
    "Set `token` or `jwt` in the connection, or GOOGLE_APPLICATION_CREDENTIALS, "
    + "or run: gcloud auth application-default login"
  package static let notJSON = "The credential file is not a JSON object."
  package static let otherType =
    "The credential file is not of one of these types: service_account, authorized_user, external_account, "
    + "impersonated_service_account."
  package static let otherUniverse = "The credential file is for another universe than googleapis.com."
  package static func missing(_ name: String) -> String { "The credential file has no \(name)." }
  package static func otherHost(_ name: String) -> String {
    "The credential file has a \(name) at another host than the connection."
  }
  package static func nameHost(_ host: String, _ field: String) -> String {
    "If \(host) is to get the credential, set it as `\(field)` in the connection."
  }
  package static let accountRejected = "Google rejected the key of the service account."
  package static let newKey = "Check that the key and the account exist and are enabled, and this machine's clock."
  package static let userRejected = "Google rejected the refresh token of the credential file."
  package static let signInAgain = "Run: gcloud auth application-default login"
  package static let subjectRejected = "Google's Security Token Service rejected the token of the other service."
  package static let checkPool = "Check the audience and the attribute conditions of the workload identity provider."
  package static let impersonationRejected = "The service account cannot be impersonated."
  package static let allowImpersonation =
    "Grant the identity the role roles/iam.workloadIdentityUser or "
    + "roles/iam.serviceAccountTokenCreator on the account."
  package static let unsupportedImpersonation =
    "The credential file impersonates through other accounts, which is not supported."
  package static let otherSource =
    "The credential file takes its token from a program, a certificate or AWS, which is not supported."
  package static let useFile = "Use a credential_source with a file or a URL."
  package static let noSubjectToken = "The source of the credential file has no token in the expected member."
  package static let subjectAddress =
    "The address of the token must begin with https://, or be that of a metadata service."
  package static func subjectStatus(_ status: Int) -> String { "The source of the token answered with HTTP \(status)." }
  package static let metadataHost = "GCE_METADATA_HOST does not name a metadata service."
  package static func metadataStatus(_ status: Int) -> String { "The metadata server answered with HTTP \(status)." }
  package static let metadataForm = "The metadata server answered in another form than expected."
}
