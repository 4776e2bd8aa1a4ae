import KeyplanCloudKit
import KeyplanHTTP

/// The reasons and hints of the CloudKit backend, as sentences. None contains a value or text of an answer.
enum CloudKitMessages {
  static let sameField = "The connection's \"nameField\" and \"valueField\" are the same field."
  static let twoCredentials = "The connection has both a server-to-server key and an API token."
  static let noCredential = "The connection has no credential for CloudKit."
  static let halfKey = "A server-to-server key needs both \"keyId\" and \"privateKey\"."
  static let credentialHint = "Set the connection's \"keyId\" and \"privateKey\", or \"apiToken\" to only read."
  static let badKey = "The private key is not a P-256 key in PEM form without a password."
  static let badKeyHint = "Create one with: openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem"
  static let tokenReads = "An API token only reads."
  static let tokenReadsHint = "Use a server-to-server key: set the connection's \"keyId\" and \"privateKey\"."

  static func rejectedKey(_ host: String) -> String { "\(host) rejected the signature of the request." }
  static func rejectedKeyHint(_ schema: CloudKitSchema) -> String {
    "Check that \"keyId\" is the ID of this private key, and that the key belongs to the \(schema.environment) "
      + "environment of \(schema.container)."
  }
  static func clock(_ host: String) -> String {
    "\(host) rejected the signature of the request: the clocks differ by more than ten minutes."
  }
  static let clockHint = "Correct the clock of this machine."
  static func rejectedToken(_ host: String) -> String { "\(host) rejected the API token." }
  static func rejectedTokenHint(_ schema: CloudKitSchema) -> String {
    "Check that the token exists in the \(schema.environment) environment of \(schema.container)."
  }
  static func userRequired(_ host: String) -> String { "\(host) requires the sign-in of a user." }
  static func userRequiredHint(_ schema: CloudKitSchema) -> String {
    "In CloudKit Console, let the role _world read the record type \(schema.recordType), or use a server-to-server key."
  }
  static func denied(_ host: String, _ schema: CloudKitSchema) -> String {
    "\(host) denied access to the record type \(schema.recordType)."
  }
  static func readHint(_ schema: CloudKitSchema) -> String {
    "In CloudKit Console, let the roles _creator and _icloud read the record type \(schema.recordType)."
  }
  static func writeHint(_ schema: CloudKitSchema) -> String {
    "In CloudKit Console, grant READ, CREATE and WRITE on the record type \(schema.recordType) "
      + "to the roles _creator and _icloud."
  }
  static func schema(_ host: String, _ schema: CloudKitSchema) -> String {
    "\(host) did not accept the request. The record type \(schema.recordType) may be missing, lack the String fields "
      + "\(schema.nameField) and \(schema.valueField), or have no QUERYABLE index on \(schema.nameField)."
  }
  static func schemaHint(_ schema: CloudKitSchema) -> String {
    "Complete the record type in CloudKit Console"
      + (schema.environment == "production" ? ", and deploy the schema to production." : ".")
  }
  static func notFound(_ host: String, _ schema: CloudKitSchema) -> String {
    "\(host) does not have the container \(schema.container), or not the record type \(schema.recordType)."
  }
  static let notFoundHint = "Check the connection's \"container\", \"environment\" and \"recordType\"."
  static func busy(_ host: String) -> String { "\(host) is busy or received too many requests." }
  static func quota(_ host: String) -> String { "The container has no storage left at \(host)." }
  static let quotaHint = "Delete records that are no longer needed."
  static func changed(_ host: String) -> String { "\(host) reported a change by someone else." }
  static func failed(_ host: String) -> String { "\(host) failed to process the request." }
  static func refused(_ host: String) -> String { "\(host) refused the request." }

  static func several(_ schema: CloudKitSchema) -> String {
    "Several records of the type \(schema.recordType) have this name."
  }
  static let severalHint = "In CloudKit Console, delete all but one of them."
  static func noValue(_ schema: CloudKitSchema) -> String {
    "The record with this name has no field \(schema.valueField)."
  }
  static func notText(_ schema: CloudKitSchema) -> String {
    "The field \(schema.valueField) of the record with this name is not a String."
  }
  static func notWritten(_ host: String) -> String { "\(host) did not report what became of this name." }
}
