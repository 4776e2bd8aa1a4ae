/// `schemas/identity.schema.json`.
package struct IdentityDocument: Encodable {
  package let formatVersion = 1
  /// The file, or another origin of the identity.
  package let origin: String
  /// The public halves, `age1…`.
  package let recipients: [String]

  package init(origin: String, recipients: [String]) {
    self.origin = origin
    self.recipients = recipients
  }
}
