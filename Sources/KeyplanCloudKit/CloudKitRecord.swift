import Crypto
package import KeyplanJSON
package import KeyplanSecrets

/// A record as a response shows it.
package struct CloudKitRecord: Redacted, Sendable {
  package enum Value: Sendable {
    case text(SecretBox)
    /// Something other than a string.
    case other
    /// The record has no such field.
    case none
  }

  /// Its identity in the database.
  package let recordName: String
  package let type: String
  /// Changes with each write of the record.
  package let tag: String
  /// The content of the field with the name; nil if it is not a string.
  package let name: String?
  package let value: Value

  /// Nil for a record in another form.
  package init?(_ node: JSONNode, in json: JSONAnswer, _ schema: CloudKitSchema) {
    func text(_ name: String) -> String? { json.member(name, in: node).flatMap { json.text($0) } }
    guard let recordName = text("recordName"), let type = text("recordType"), let tag = text("recordChangeTag") else {
      return nil
    }
    self.recordName = recordName
    self.type = type
    self.tag = tag
    name = json.member("fields", schema.nameField, "value", in: node).flatMap { json.text($0) }
    guard let field = json.member("fields", schema.valueField, in: node) else {
      value = .none
      return
    }
    // Binary content is a string in the response, too.
    let declared = json.member("type", in: field).flatMap { json.text($0) } ?? "STRING"
    let secret = json.member("value", in: field).flatMap { json.secret($0) }
    value = if declared == "STRING", let secret { .text(secret) } else { .other }
  }

  /// The record name of a new record. It depends on the name alone, so that creating it twice is an error.
  package static func recordName(of name: String, _ schema: CloudKitSchema) -> String {
    let digest = SHA256.hash(data: Array("\(schema.recordType)\0\(name)".utf8))
    return "keyplan-" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
