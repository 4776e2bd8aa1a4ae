import KeyplanJSON
package import KeyplanSecrets

/// An age identity that only a key management service opens. It is a line of JSON, and no secret:
///
///     {"keyplan":"sealed identity 1","recipient":"age1…","key":"arn:aws:kms:…","role":"…","audience":"…","sealed":"…"}
///
/// The service is sent a context that has the recipient, so that a right to decrypt can be given for one identity.
package struct SealedIdentity: Sendable {
  /// The public key of the identity: it can be shown without asking the service.
  package let recipient: String
  package let key: ServiceKey
  /// Nil where the environment has a credential for the service.
  package let login: KeyServiceLogin?
  /// The ciphertext of the identity: base64 of AWS KMS, `vault:v1:…` of Vault.
  let sealed: String

  static let version = "sealed identity 1"

  package init(recipient: String, key: ServiceKey, login: KeyServiceLogin?, sealed: String) {
    (self.recipient, self.key, self.login, self.sealed) = (recipient, key, login, sealed)
  }

  /// Whether a text is intended as one, valid or not.
  package static func isMeant(by text: some StringProtocol) -> Bool {
    text.utf8.first { $0 > 0x20 } == UInt8(ascii: "{")
  }

  /// Nil for any other text, and for one with fields that this version does not know: they could restrict its use.
  package init?(_ text: SecretBox) {
    guard let json = JSONAnswer(text), let members = json.root.members,
      json.text("keyplan") == Self.version, let recipient = json.text("recipient"), let sealed = json.text("sealed"),
      let key = json.text("key").flatMap({ ServiceKey($0) }),
      Set(members.map(\.name)).isSubset(of: Self.fields), members.count == Set(members.map(\.name)).count
    else { return nil }
    let (role, mount) = (json.text("role"), json.text("mount"))
    let token: KeyServiceLogin.Token?
    switch (json.text("audience"), json.text("variable")) {
    case (let audience?, nil): token = .github(audience: audience)
    case (nil, let variable?): token = .variable(variable)
    case (nil, nil): token = nil
    case (_?, _?): return nil
    }
    guard (role == nil) == (token == nil), mount == nil || token != nil else { return nil }
    self.init(
      recipient: recipient, key: key,
      login: role.flatMap { role in token.map { KeyServiceLogin(role: role, token: $0, mount: mount) } }, sealed: sealed
    )
  }

  private static let fields: Set<String> = [
    "keyplan", "recipient", "key", "role", "audience", "variable", "mount", "sealed",
  ]

  /// The line, without its end.
  package var text: String {
    var audience: String?
    var variable: String?
    switch login?.token {
    case .github(let text): audience = text
    case .variable(let name): variable = name
    case nil: break
    }
    let body = JSONBody.object([
      ("keyplan", .text(Self.version)), ("recipient", .text(recipient)), ("key", .text("\(key)")),
      ("role", login.map { .text($0.role) }), ("audience", audience.map { .text($0) }),
      ("variable", variable.map { .text($0) }), ("mount", login?.mount.map { .text($0) }), ("sealed", .text(sealed)),
    ])
    return body.bytes().withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
