/// The reason that a token cannot be imported from another program's file. Client ids, hosts and account names are not secret.
package enum ImportedTokenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The format is not supported.
  case unknownForm
  /// It is not valid JSON: position and reason.
  case json(String)
  /// It is a service account's key file.
  case serviceAccount
  /// It is a Python pickle, which is a program.
  case pickle
  /// It is a pizauth dump of an unsupported version.
  case dump
  /// It contains no refresh token.
  case noRefreshToken
  /// Its tokens belong to other clients; to this one if there is only one.
  case otherClient(String?)
  /// Its token was issued by the first host, but the account uses the second.
  case otherService(String, String)
  /// Several tokens belong to the client, and not exactly one has the account's name; with their names.
  case ambiguous([String])

  /// The error and the fix, in whole sentences.
  package var description: String {
    switch self {
    case .unknownForm:
      "The format is not supported. Supported are JSON, a pizauth dump, and a file with only a token. "
        + "For an encrypted file, use the command that decrypts it as the source."
    case .json(let reason): reason
    case .serviceAccount:
      "It is a service account's key file. Use `signIn: serviceAccount` with this file as `keyFile`."
    case .pickle:
      "It is a Python pickle, as gcalcli writes. Use the command that turns it into JSON as the source, or sign in instead."
    case .dump: "It is a pizauth dump of an unsupported version. Sign in instead."
    case .noRefreshToken: "It contains no refresh token. Sign in instead."
    case .otherClient(let client?) where client.utf8.count <= 100:
      "The refresh token belongs to the client \(client) and cannot be used by another client. "
        + "Declare that client, or sign in instead."
    case .otherClient: "The refresh tokens belong to other clients and cannot be used by this one. Sign in instead."
    case .otherService(let there, let here): "The refresh token was issued by \(there) and is not sent to \(here)."
    case .ambiguous(let names):
      "Several tokens belong to this client\(Self.listed(names)). Rename the calendar account to match one of them."
    }
  }

  private static func listed(_ names: [String]) -> String {
    names.isEmpty ? "" : " (\(names.prefix(8).joined(separator: ", ")))"
  }
}
