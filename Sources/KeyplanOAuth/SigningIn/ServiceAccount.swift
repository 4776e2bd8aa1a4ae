package import KeyplanCore
import KeyplanDocuments
import KeyplanHTTP
package import KeyplanSecrets

/// A Google service account: it signs for itself, perhaps in the name of a person of its organization (RFC 7523).
///
/// Its file is read as JSON, and BoringSSL takes the key apart: copies that cannot be had back are left of both.
package struct ServiceAccount: Redacted, Sendable {
  /// Its e-mail address.
  package let email: String
  private let keyID: String?
  private let key: SecretBox

  /// Takes the key file that Google's console gives out.
  /// - Throws: `ServiceAccountError`, which quotes nothing of it.
  package init(_ file: SecretBox) throws(ServiceAccountError) {
    let document: JSONDocument
    do { document = try JSONDocument(file.withBytes { Array($0) }) } catch { throw .notJSON }
    func bytes(_ name: String) -> [UInt8]? {
      guard case .text(let bytes)? = try? document.value(at: name), !bytes.isEmpty else { return nil }
      return bytes
    }
    func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }
    guard text("type") == "service_account" else { throw .otherType }
    guard let email = text("client_email") else { throw .missing("client_email") }
    guard let key = bytes("private_key") else { throw .missing("private_key") }
    guard key.withUnsafeBytes({ RS256(pem: $0) }) != nil else { throw .key }
    self.email = email
    keyID = text("private_key_id")
    self.key = SecretBox(key)
  }

  /// The statement to ask the token address with, valid for an hour.
  /// - Parameters:
  ///   - audience: the token address.
  ///   - subject: the person in whose name; the organization must have delegated the scopes to this account.
  package func request(
    for scopes: [String], audience: String, subject: String?, at now: Moment
  ) throws(ServiceAccountError) -> TokenRequest {
    var claims: [(String, Claim)] = [
      ("iss", .text(email)), ("scope", .text(scopes.joined(separator: " "))), ("aud", .text(audience)),
      ("iat", .number(now.seconds)), ("exp", .number(now.seconds + 3600)),
    ]
    if let subject { claims.append(("sub", .text(subject))) }
    var header: [(String, Claim)] = [("alg", .text("RS256")), ("typ", .text("JWT"))]
    if let keyID { header.append(("kid", .text(keyID))) }
    let signed = "\(Base64URL.text(of: Claim.json(header).utf8)).\(Base64URL.text(of: Claim.json(claims).utf8))"
    guard let signature = key.withBytes({ RS256(pem: $0) })?.signature(of: signed) else { throw .key }
    return .assertion(SecretBox(Array("\(signed).\(signature)".utf8)))
  }
}

/// Why a service account's file cannot be used.
package enum ServiceAccountError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is no JSON.
  case notJSON
  /// It is the file of something else.
  case otherType
  /// A field is not in it.
  case missing(String)
  /// Its key is no RSA key of 2048 bits or more.
  case key

  /// What is wrong, in one sentence without a full stop.
  package var description: String {
    switch self {
    case .notJSON: "the key file is not JSON"
    case .otherType: "the key file is not one of a service account"
    case .missing(let name): "the key file has no \(name)"
    case .key: "the private key in the key file is not an RSA key in PEM form"
    }
  }
}

/// A value in the two small objects of a signed statement.
private enum Claim {
  case text(String)
  case number(Int64)

  static func json(_ members: [(String, Claim)]) -> String {
    "{" + members.map { "\(quoted($0)):\($1.written)" }.joined(separator: ",") + "}"
  }

  private var written: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): "\(number)"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        quoted.unicodeScalars.append("\\")
        quoted.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
