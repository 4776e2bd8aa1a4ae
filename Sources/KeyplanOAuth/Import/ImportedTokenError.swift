/// Why nothing can be taken over from what another program has left. Client ids, hosts and names are no secrets.
package enum ImportedTokenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is nothing that is read here.
  case unknownForm
  /// It is no JSON: where, and why.
  case json(String)
  /// It is the key file of a service account.
  case serviceAccount
  /// It is a pickle, and at this byte it is not what gcalcli writes.
  case pickle(byte: Int)
  /// It is a dump of pizauth's, and not of the version that is read here.
  case dump
  /// There is no refresh token in it.
  case noRefreshToken
  /// Its tokens are those of other clients: of this one, where it is one.
  case otherClient(String?)
  /// Its token comes from one host, and the account asks another one.
  case otherService(String, String)
  /// Several tokens are the client's, and none, or more than one, has the account's name; these are the names.
  case ambiguous([String])

  /// What is wrong and what to do, in whole sentences.
  package var description: String {
    switch self {
    case .unknownForm:
      "It is in no form that keyplan reads: JSON, gcalcli's file, a dump of pizauth, or a token alone. Adopt what is "
        + "encrypted from the command that decrypts it."
    case .json(let reason): reason
    case .serviceAccount:
      "It is the key file of a service account: say `signIn: serviceAccount`, and name it as `keyFile`."
    case .pickle(let byte):
      "Byte \(byte): it is a pickle, and not as gcalcli writes it. It is not read any further. Sign in instead."
    case .dump: "It is a dump of pizauth, in a form that keyplan does not know. Sign in instead."
    case .noRefreshToken: "It has no refresh token. Sign in instead."
    case .otherClient(let client?) where client.utf8.count <= 100:
      "Its token was given to the client \(client), and is of use to no other: declare that client, or sign in instead."
    case .otherClient: "Its tokens were given to other clients, and are of use to no other: sign in instead."
    case .otherService(let there, let here): "Its token comes from \(there), and is not shown to \(here)."
    case .ambiguous(let names):
      "Several of its tokens are this client's\(Self.listed(names)): give the calendar account the name of one."
    }
  }

  private static func listed(_ names: [String]) -> String {
    names.isEmpty ? "" : " (\(names.prefix(8).joined(separator: ", ")))"
  }
}
