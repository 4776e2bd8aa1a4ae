/// The fields that are allowed in a place of the manifest. Tests compare them with the JSON Schema.
struct Shape: Sendable {
  /// The place for diagnostics, for example `a key`.
  let what: String
  let fields: [String]

  init(_ what: String, _ fields: [String]) {
    self.what = what
    self.fields = fields
  }

  static let manifest = Shape(
    "the manifest",
    [
      "version", "store", "recipients", "backends", "connections", "providers", "policies", "exposed", "verify", "keys",
      "active", "calendars",
      "targets", "migrations", "rules", "defaultEnvironment",
    ])
  static let store = Shape("the store", ["url", "password", "pin", "replica", "offline"])
  static let recipient = Shape("a recipient", ["key", "can", "kms"])
  static let provider = Shape("a provider", ["format", "variable", "address", "check"])
  static let check = Shape(
    "a check",
    [
      "keys", "get", "post", "put", "patch", "delete", "query", "headers", "json", "form", "raw", "auth", "outcomes",
      "facts", "regions", "activation",
    ])
  static let policy = Shape("a policy", ["after", "on", "warn", "then", "overlap"])
  static let exposed = Shape("exposed", ["by"])
  static let verify = Shape("verify", ["every"])
  static let key = Shape(
    "a key",
    [
      "provider", "model", "source", "parts", "expires", "issued", "variable", "unsafeName", "follow", "protected",
      "recipients",
      "labels", "cache",
    ])
  static let slot = Shape("a slot", ["keys", "recipients"])
  static let command = Shape("a command", ["command", "timeout", "variables", "directory", "data"])
  static let hook = Shape("a hook", command.fields)
  static let reference = Shape("a reference", ["from", "path", "field"])
  static let generated = Shape("a generated value", ["generate"])
  static let generator = Shape("generate", ["format", "bytes"])
  /// The fields of the place follow.
  static let mint = Shape("a key that is made", ["mint"])
  static let cache = Shape("a cache", ["fresh", "stale"])
  static let calendar = Shape(
    "a calendar",
    [
      "service", "account", "calendar", "client", "signIn", "url", "password", "token", "keyFile", "expires",
      "endpoints",
    ])
  static let endpoints = Shape("endpoints", ["authorize", "token", "device", "revoke", "api"])
  static let client = Shape("a client", ["id", "secret", "tenant", "publishing"])
  static let entry = Shape("an entry of a target", ["from", "names"])
  static let rule = Shape(
    "a rule", ["environments", "keys", "maxAge", "allowSources", "forbidSources", "allowProviders"])
  static let migration = Shape("a migration", ["moved", "adopt", "to", "original"])
}
