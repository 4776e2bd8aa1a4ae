import KeyplanDocuments
import KeyplanHTTP
package import KeyplanModel
package import KeyplanSecrets

/// A Google service account, which signs its own assertions, optionally on behalf of a user of its organization (RFC
/// 7523).
///
/// Parsing the JSON file and the key (by BoringSSL) leaves copies in memory that cannot be wiped.
package struct ServiceAccount: Redacted, Sendable {
  package let email: String
  private let keyID: String?
  private let key: SecretBox

  /// Parses the key file from Google's console.
  /// - Throws: `ServiceAccountError`, which quotes nothing of the file.
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

  /// The signed assertion for the token endpoint, valid for an hour.
  /// - Parameters:
  ///   - audience: the address of the token endpoint.
  ///   - subject: the user to act for; the organization must have delegated the scopes to this account.
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

/// The reason that a service account's key file cannot be used.
package enum ServiceAccountError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is not JSON.
  case notJSON
  /// Its type is not `service_account`.
  case otherType
  /// A field is missing.
  case missing(String)
  /// Its key is not an RSA key of 2048 bits or more.
  case key

  /// The error in one sentence without a full stop.
  package var description: String {
    switch self {
    case .notJSON: "The key file is not JSON"
    case .otherType: "The key file does not belong to a service account"
    case .missing(let name): "The key file has no \(name)"
    case .key: "The private key in the key file is not an RSA key in PEM form with at least 2048 bits"
    }
  }
}

/// A value in the JSON objects of an assertion.
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
