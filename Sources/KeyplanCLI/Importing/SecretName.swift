internal import KeyplanCore
internal import KeyplanProviders

/// What a variable's name says about a secret: whose it is, and what the key is called.
struct SecretName {
  let key: String
  let provider: String
  /// The variable that the provider documents; nil for `generic`, and for the second key of a provider.
  let conventional: String?

  /// Takes a name for which there is no reason to leave it.
  init(_ variable: String, _ index: VariableIndex) {
    if let (provider, rest) = Self.known(variable, index) {
      self.provider = provider
      key = Self.shaped(provider + (rest.isEmpty ? "" : "-" + rest))
      conventional = rest.isEmpty ? ProviderCatalog.builtIn.provider(named: provider)?.variable : nil
    } else {
      provider = "generic"
      conventional = nil
      key = Self.shaped(Self.without(["_API_KEY", "_API_TOKEN"], variable))
    }
  }

  /// Why a name is no key of the manifest; nil for one that is.
  static func reasonToLeave(_ found: FoundName, _ index: VariableIndex) -> String? {
    if case .torn = found.look { return "it may be the rest of a value that needs quotes; not shown" }
    if found.variable.hasPrefix("KEYPLAN_") { return "it is keyplan's own" }
    let isSecret = known(found.variable, index) != nil || isSecret(found.variable)
    switch found.look {
    case .empty: return isSecret ? "it has no value yet" : "it has no value"
    case .expanded: return "it refers to another variable, and a dotenv source expands nothing"
    case .flag: return "a switch"
    case .number where !isSecret: return "a number"
    case .addressWithPassword where !isSecret:
      return "an address with a password in it; if it is to be kept too, declare it"
    case .address where !isSecret: return "an address"
    default: break
    }
    if isSecret { return nil }
    if isPublic(found.variable) { return "the public half of a key pair" }
    guard let format = found.formats.first else { return "no name of a secret" }
    return "no name of a secret, but its value has the form of a key of \(format); if it is one, declare it"
  }

  /// `OPENAI_API_KEY`, and `OPENAI_API_KEY_STAGING` with what stands behind.
  private static func known(_ variable: String, _ index: VariableIndex) -> (provider: String, rest: String)? {
    if let provider = index.provider(of: variable) { return (provider, "") }
    guard let mark = variable.utf8.lastIndex(of: UInt8(ascii: "_")) else { return nil }
    let rest = variable[variable.utf8.index(after: mark)...].uppercased()
    guard stages.contains(rest) || !rest.isEmpty && rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let provider = index.provider(of: String(variable[..<mark]))
    else { return nil }
    return (provider, rest.lowercased())
  }

  private static let stages: Set<String> = [
    "DEV", "DEVELOPMENT", "TEST", "STAGING", "STAGE", "PROD", "PRODUCTION", "LIVE", "CI", "LOCAL", "MAIN", "BACKUP",
    "PRIMARY", "SECONDARY", "OLD", "NEW",
  ]

  private static func isSecret(_ variable: String) -> Bool {
    let name = variable.uppercased()
    let words = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "APIKEY"]
    return !isPublic(name) && words.contains { name == $0 || name.hasSuffix("_" + $0) }
  }

  private static func isPublic(_ variable: String) -> Bool {
    let name = variable.uppercased()
    return name.hasSuffix("PUBLIC_KEY") || name.hasSuffix("PUBLISHABLE_KEY")
  }

  private static func without(_ endings: [String], _ name: String) -> String {
    for ending in endings where name.uppercased().hasSuffix(ending) && name.utf8.count > ending.utf8.count {
      return String(name.dropLast(ending.count))
    }
    return name
  }

  /// A name of the shape that keys have, with room for a number behind it.
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
