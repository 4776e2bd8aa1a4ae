import KeyplanHTTP
package import KeyplanModel
package import KeyplanSecrets

/// The refresh tokens in another program's file. The format is recognized by the content:
///
/// - vdirsyncer's `token_file`, Google's `authorized_user` files, and any other JSON with a `refresh_token`, such as gcalcli's before 4.4;
/// - MSAL's cache, which is JSON too;
/// - the output of `pizauth dump`;
/// - a file with only a refresh token.
package struct ImportedTokens: Redacted, Sendable {
  private let all: [ImportedToken]

  /// Parses a file, without executing anything in it.
  /// - Throws: `ImportedTokenError`, which quotes no secret.
  package init(_ file: SecretBox) throws(ImportedTokenError) {
    all = try file.withBytes { bytes throws(ImportedTokenError) in try Self.read(bytes) }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) throws(ImportedTokenError) -> [ImportedToken] {
    // Tried first, because a dump begins with random bytes, and its authentication tag identifies it reliably.
    if let tokens = try PizauthDump.tokens(inSealed: bytes) { return tokens }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    switch text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
    case UInt8(ascii: "{"): return try ImportedJSON(bytes).tokens()
    // The first instruction of a pickle, its protocol.
    case 0x80 where bytes.count > 1 && (2...5).contains(bytes[1]): throw .pickle
    default: break
    }
    guard let token = ImportedToken.alone(bytes) else { throw .unknownForm }
    return [token]
  }

  /// The number of refresh tokens.
  package var count: Int { all.count }

  /// The refresh token for one account: the only one of its client, or the one with the account's name.
  /// - Parameter id: the account's name in the manifest.
  package func token(for id: Identifier<Account>, _ facts: AccountFacts) throws(ImportedTokenError) -> SecretBox {
    guard let first = all.first else { throw .noRefreshToken }
    let ours = all.filter { $0.client == nil || $0.client == facts.client }
    guard !ours.isEmpty else { throw .otherClient(all.count == 1 ? first.client : nil) }
    var chosen = ours
    if ours.count > 1 {
      let names = [id.name, facts.account.lowercased()]
      chosen = ours.filter { token in token.names.contains { names.contains($0.lowercased()) } }
    }
    guard chosen.count == 1, let token = chosen.first else { throw .ambiguous(ours.compactMap(\.names.first)) }
    if let there = token.host, let here = ImportedToken.host(of: facts.address(of: .token)),
      !ImportedToken.isSameService(there, here)
    {
      throw .otherService(there, here)
    }
    return token.token
  }
}

/// A refresh token from another program, with its metadata.
struct ImportedToken: Redacted, Sendable {
  let token: SecretBox
  /// The client to which it was issued; nil if unknown.
  let client: String?
  /// The host that issued it; nil if unknown.
  let host: String?
  /// The names of its account in the other program.
  let names: [String]

  /// Nil if it cannot be a token (RFC 6749, appendix A.17).
  init?(_ token: some Collection<UInt8>, client: String? = nil, address: String? = nil, names: [String] = []) {
    guard !token.isEmpty, token.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
    self.token = SecretBox(Array(token))
    self.client = client
    host = Self.host(of: address)
    self.names = names
  }

  /// Reads a file that consists of a token and optionally a line end.
  static func alone(_ bytes: UnsafeRawBufferPointer) -> ImportedToken? {
    var rest = bytes[...]
    if rest.last == UInt8(ascii: "\n") { rest = rest.dropLast() }
    if rest.last == UInt8(ascii: "\r") { rest = rest.dropLast() }
    // Prose and error messages contain spaces; tokens never do.
    return rest.contains(0x20) ? nil : ImportedToken(rest)
  }

  static func host(of address: String?) -> String? {
    guard let address else { return nil }
    return try? HTTPAddress(address).host
  }

  /// Google and Microsoft have used several hosts for tokens.
  static func isSameService(_ one: String, _ other: String) -> Bool {
    one == other || families.contains { family in family.contains(one) && family.contains(other) }
  }

  private static let families: [Set<String>] = [
    ["oauth2.googleapis.com", "accounts.google.com", "www.googleapis.com"],
    ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"],
  ]
}
