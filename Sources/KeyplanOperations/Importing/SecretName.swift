internal import KeyplanModel
package import KeyplanProviders
internal import KeyplanReporting

/// Derives a key's provider and name from a variable's name.
package struct SecretName {
  package let key: String
  package let provider: String
  /// The variable that the provider documents; nil for `generic`, and for the second key of a provider.
  package let conventional: String?

  /// - Precondition: `reasonToLeave` returned nil for the name.
  package init(_ found: FoundName, _ index: VariableIndex) {
    let variable = found.variable
    if let (provider, rest) = Self.known(found, index) {
      self.provider = provider
      key = Self.shaped(provider + (rest.isEmpty ? "" : "-" + rest))
      conventional = rest.isEmpty ? ProviderCatalog.builtIn.provider(named: provider)?.variable : nil
    } else {
      provider = "generic"
      conventional = nil
      key = Self.shaped(Self.without(["_API_KEY", "_API_TOKEN"], variable))
    }
  }

  /// The reason that a name is not imported as a key; nil if it is.
  /// - Parameter all: the variables of the file: an id is imported with the secret that it was issued with, because one without the other
  ///   is of no use, and a rotation replaces both.
  package static func reasonToLeave(_ found: FoundName, _ index: VariableIndex, among all: Set<String> = [])
    -> String?
  {
    if case .torn = found.look { return "may be part of an unquoted multi-line value; not shown" }
    if found.variable.hasPrefix("KEYPLAN_") { return "reserved for keyplan" }
    let isSecret =
      known(found, index) != nil || isSecret(found.variable)
      || secret(issuedWith: found.variable).map(all.contains) ?? false
    switch found.look {
    case .empty: return isSecret ? "no value yet" : "no value"
    case .expanded: return "refers to another variable, which a dotenv source does not expand"
    case .flag: return "a switch"
    case .published: return "not a secret: a certificate, or the public half of a key pair"
    case .path where isSecret: return "a file path; if the file contains a secret, declare it with a file:// source"
    case .number where !isSecret: return "a number"
    case .address where !isSecret: return "an address"
    case .email where !isSecret: return "an e-mail address"
    case .path: return "a path"
    case .secretAddress, .privateKey: return reasonToLeave(variable: found.variable)
    default: break
    }
    let format = found.formats.first.map { "its value looks like a key of \($0)" }
    if let reason = reasonToBePublic(found.variable) {
      return reason + (format.map { ", but \($0); if it is one, rename and declare it" } ?? "")
    }
    if isSecret { return reasonToLeave(variable: found.variable) }
    return "does not look like a secret" + (format.map { ", but \($0); if it is one, declare it" } ?? "")
  }

  /// The reason that a secret is skipped because of its name.
  private static func reasonToLeave(variable: String) -> String? {
    if !VariableName.isValid(variable) { return "not a valid variable name" }
    return VariableName.risk(of: variable)?.words
  }

  /// `OPENAI_API_KEY`, `OPENAI_API_KEY_STAGING` with the stage, and `OpenAI` if the value looks like a key.
  private static func known(_ found: FoundName, _ index: VariableIndex) -> (provider: String, rest: String)? {
    let variable = found.variable
    if let provider = index.provider(of: variable) { return (provider, "") }
    if found.isToken, let provider = index.provider(named: variable) { return (provider, "") }
    guard let mark = variable.utf8.lastIndex(of: UInt8(ascii: "_")) else { return nil }
    let rest = variable[variable.utf8.index(after: mark)...].uppercased()
    guard stages.contains(rest) || !rest.isEmpty && rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let provider = index.provider(of: String(variable[..<mark]))
    else { return nil }
    return (provider, rest.lowercased())
  }

  /// `AWS_SECRET_ACCESS_KEY` for `AWS_ACCESS_KEY_ID`, `GOOGLE_CLIENT_SECRET` for `GOOGLE_CLIENT_ID`; nil for other names.
  private static func secret(issuedWith variable: String) -> String? {
    for (id, secret) in [("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"), ("CLIENT_ID", "CLIENT_SECRET")]
    where variable == id || variable.hasSuffix("_" + id) {
      return variable.dropLast(id.count) + secret
    }
    return nil
  }

  private static let stages: Set<String> = [
    "DEV", "DEVELOPMENT", "TEST", "STAGING", "STAGE", "PROD", "PRODUCTION", "LIVE", "CI", "LOCAL", "MAIN", "BACKUP",
    "PRIMARY", "SECONDARY", "OLD", "NEW",
  ]

  /// `SECRET_KEY_BASE`, `PGPASSWORD`, `JWT_SECRET_OLD`; not `PASSWORD_RESET_TIMEOUT`, `TOKEN_URL`, `KEY_ID`.
  private static func isSecret(_ variable: String) -> Bool {
    var words = variable.uppercased().split(separator: "_").map(String.init)
    while words.count > 1, let last = words.last, isQualifier(last) { words.removeLast() }
    guard let last = words.last, reasonToBePublic(variable) == nil else { return false }
    if words.count > 1, ["KEY", "KEYS", "PASS", "PWD", "PAT", "PEPPER"].contains(last) {
      return last != "KEYS" || words.contains("PREVIOUS")
    }
    if last == "KEY" || isSecretWord(last) { return true }
    return words.contains(where: isSecretWord) && !about.contains(last)
  }

  private static func isSecretWord(_ word: String) -> Bool {
    ["SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "TOKEN", "APIKEY", "CREDENTIAL", "CREDENTIALS"]
      .contains { word.hasSuffix($0) } || word == "SALT"
  }

  /// A word that tells several secrets apart, or describes the form of one.
  private static func isQualifier(_ word: String) -> Bool {
    stages.contains(word) || ["BASE", "PEM", "DER", "BASE64", "B64", "HEX", "CURRENT", "NEXT"].contains(word)
      || word.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The last words of names that describe a secret, but never name one.
  private static let about: Set<String> = [
    "AGE", "ALGORITHM", "AUDIENCE", "COOKIE", "COUNT", "DAYS", "DIR", "ENABLED", "ENDPOINT", "EXPIRATION", "EXPIRES",
    "EXPIRY", "FILE", "FORMAT", "HEADER", "HOST", "HOURS", "ID", "ISSUER", "LENGTH", "LIFETIME", "LIMIT", "MAX", "MIN",
    "MINUTES", "NAME", "PATH", "POLICY", "PORT", "PREFIX", "REGION", "ROUNDS", "SECONDS", "SIZE", "TIMEOUT", "TTL",
    "TYPE",
    "URI", "URL", "USER", "USERNAME", "VERSION", "ARN",
  ]

  /// The reason that a value with this name is public; nil for other names.
  private static func reasonToBePublic(_ variable: String) -> String? {
    let name = variable.uppercased()
    if bundled.contains(where: { name.hasPrefix($0) }) {
      return "public: browser builds include variables with this prefix"
    }
    let isHalf =
      ["PUBLIC_KEY", "PUBLISHABLE_KEY", "SITE_KEY", "SITEKEY"].contains { name == $0 || name.hasSuffix("_" + $0) }
      || ["PUSHER_APP_KEY", "REVERB_APP_KEY"].contains(name)
    return isHalf ? "the public half of a key pair" : nil
  }

  /// Next.js, Nuxt, Expo, Vite, Create React App, Gatsby, Vue CLI; SvelteKit and Astro.
  private static let bundled = [
    "NEXT_PUBLIC_", "NUXT_PUBLIC_", "EXPO_PUBLIC_", "VITE_", "REACT_APP_", "GATSBY_", "VUE_APP_", "PUBLIC_",
  ]

  private static func without(_ endings: [String], _ name: String) -> String {
    for ending in endings where name.uppercased().hasSuffix(ending) && name.utf8.count > ending.utf8.count {
      return String(name.dropLast(ending.count))
    }
    return name
  }

  /// A valid name of a key, with room for a number after it.
  private static func shaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    for byte in name.lowercased().utf8 {
      let fits = (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte)
      if fits {
        bytes.append(byte)
      } else if bytes.last.map({ $0 != UInt8(ascii: "-") }) == true {
        bytes.append(UInt8(ascii: "-"))
      }
    }
    let shaped = String(decoding: bytes.prefix(56), as: UTF8.self)
    let trimmed = shaped.hasSuffix("-") ? String(shaped.dropLast()) : shaped
    return trimmed.isEmpty ? "key" : trimmed
  }
}
