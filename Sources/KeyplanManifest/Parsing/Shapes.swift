import KeyplanModel

extension Shape {
  static let manifest = Shape(
    "the manifest",
    [
      .init("version", .own("`1`"), isRequired: true, isHarmless: true, help: "The version of the manifest's format."),
      .init(
        "store", .own("a path, an address, or a mapping"),
        help:
          "Where the store is: a file relative to the manifest, or postgres://host/database. Default: .keyplan/default.db, or .keyplan/ENVIRONMENT.db."
      ),
      .init(
        "recipients", .own("recipients by name"),
        help: "Who can open the store. Left out: those recorded; for a new store, the identity in use."),
      .init(
        "backends", .own("descriptions by name"),
        help:
          "Services that keyplan has no backend for, described as data (docs/services.md). Their names are types of connections and targets."
      ),
      .init(
        "connections", .own("connections by name"),
        help:
          "Connections to services: addresses and how to sign in, never secrets. A name is the scheme of references, such as bao://path#key."
      ),
      .init(
        "providers", .own("providers by name"),
        help: "Providers of keys: built-in ones by name alone, others with their format, variable and check."),
      .init("policies", .own("policies by name"), help: "Expiry policies, by name."),
      .init(
        "exposed", .own("a mapping"),
        help: "How long a value may wait for its replacement once a recipient who could read it was removed."),
      .init("verify", .own("a mapping"), help: "When `keyplan drift` asks providers whether they accept the keys."),
      .init("keys", .own("keys by name"), help: "The keys, by name."),
      .init(
        "active", .own("slots by name, or one key"),
        help:
          "One key per slot. A list is ordered: its first usable key is active. A name alone is the key of the slot `default`."
      ),
      .init("calendars", .own("calendars by name"), help: "Calendar accounts, by name."),
      .init(
        "targets", .own("targets by name"),
        help: "Where values are synced to and watched for drift. An environment does not inherit them."),
      .init(
        "migrations", .own("a list of migrations"),
        help:
          "Renamed keys, and values to import from where they were. Each runs once, and is remembered."
      ),
      .init(
        "rules", .own("rules by name"),
        help: "Requirements for keys, by name. A plan that would leave one broken is refused (exit code 7)."),
      .init(
        "defaultEnvironment", .own("a name"), isHarmless: true,
        help:
          "The environment to use if there are overlays and none is chosen; `default` is the manifest alone, unless an overlay has that name."
      ),
    ])
  static let store = Shape(
    "the store",
    [
      .init("url", .text, help: "postgres://host/database, or with `pin` also a file."),
      .init(
        "password", .source,
        help: "Where the server's password is found: a variable, or a file in the manifest's folder."),
      .init(
        "pin", .choice(["serial"]),
        help: "serial: each apply writes the store's serial to keyplan.lock, and an older copy is refused."),
      .init(
        "replica", .flag,
        help: "The address may be that of a replica that is behind: reading commands accept it with a warning."),
      .init(
        "offline", .duration,
        help: "How long get, env and run may read this machine's copy of the store while its server is unreachable."),
    ])
  static let recipient = Shape(
    "a recipient",
    [
      .init("key", .defined("publicKey"), isRequired: true, help: "The recipient."),
      .init(
        "can", .choice(["full", "plan"]), isHarmless: true,
        help: "full (default): opens everything. plan: plans and drifts, opens no secret."),
      .init(
        "kms", .flag,
        help:
          "Whether only a key management service opens its identity, as `keyplan identity new --kms` makes it. Not all recipients with full access can be such."
      ),
    ])
  static let provider = Shape(
    "a provider",
    [
      .init(
        "format", .text,
        help:
          "The format of its keys, as a pattern of literals, classes, {m,n} and one level of alternatives. A value of another format is a warning, never an error."
      ),
      .init("variable", .variable, isHarmless: true, help: "The variable that its key is exported under."),
      .init(
        "address", .text, help: "The https:// address at which its keys are checked, instead of the built-in one."),
      .init("check", .defined("check"), help: "The request that shows whether a key is valid: docs/checks.md."),
    ])
  static let check = Shape(
    "a check",
    [
      .init("keys", .text, help: "The form of the keys that it is for, as a pattern."),
      .init("get", .own("a path"), help: "The path of a GET request."),
      .init("post", .own("a path"), help: "The path of a POST request."),
      .init("put", .own("a path"), help: "The path of a PUT request."),
      .init("patch", .own("a path"), help: "The path of a PATCH request."),
      .init("delete", .own("a path"), help: "The path of a DELETE request."),
      .init("query", .own("texts by name"), help: "Parameters in the address. The key belongs in auth."),
      .init("headers", .own("texts by name"), help: "Headers of the request."),
      .init("json", .own("any JSON"), help: "The body as JSON."),
      .init("form", .own("texts by name"), help: "The body as a form."),
      .init("raw", .own("text"), help: "The body as it is: one variable."),
      .init("auth", .own("a mapping"), help: "Where the key is sent: bearer, header, basic or query, with {key}."),
      .init(
        "outcomes", .own("a list of rules"),
        help: "What answers mean; the first rule that applies counts. Without one, an answer says nothing."),
      .init(
        "facts", .own("a mapping"),
        help: "What an answer reveals: expires, account, scopes and remaining, each a JSON Pointer, or a header."),
      .init(
        "regions", .own("a list of addresses"),
        help: "The addresses of other regions. A key is invalid only if all of them say so."),
      .init("activation", .own("a duration"), help: "How long after it was issued a new key may still be refused."),
    ])
  static let policy = Shape(
    "a policy",
    [
      .init(
        "after", .duration, isHarmless: true,
        help: "Its age at the end, counted from when it was issued, or else first stored."),
      .init("on", .moment, isHarmless: true, help: "The end as a date."),
      .init(
        "warn", .duration, isHarmless: true,
        help:
          "How long before the end plans and drift warn. Default: 14d, or a quarter of `after` if that is shorter; none with then: rotate."
      ),
      .init(
        "then", .choice(["warn", "retire", "rotate"]), isHarmless: true,
        help:
          "What happens at the end. warn (default): a warning. retire: no slot chooses the key and no reader gets it. rotate: the next apply generates a new value, or has a new key made; only with `after`, and for keys with source: { generate: … } or { mint: … }."
      ),
      .init(
        "overlap", .own("a duration, or `none`"),
        help:
          "With then: rotate, how long a key that was replaced stays valid at its provider. none: it is revoked by the apply that replaces it. Default: 1d."
      ),
    ])
  static let exposed = Shape(
    "exposed",
    [
      .init(
        "by", .duration, isRequired: true, isHarmless: true,
        help: "Until then drift lists the value as `soon`, afterwards as `broken`. Default: 30d.")
    ])
  static let verify = Shape(
    "verify",
    [
      .init(
        "every", .duration, isRequired: true,
        help: "How long a provider's answer counts. A key without one as recent as that is checked.")
    ])
  static let key = Shape(
    "a key",
    [
      .init(
        "provider", .name, isRequired: true, isHarmless: true,
        help: "The provider, built in or declared. generic: a value that belongs to no provider.")
    ] + KeyText.allCases.map { .init($0.rawValue, .text, isHarmless: true, help: $0.help) } + [
      .init(
        "source", .own("a reference, a list of them, `{ generate: … }`, `{ compose: … }` or `{ mint: … }`"),
        help:
          "Where the value is found. In a list, the first source that has a value counts. generate: keyplan generates the value. compose: keyplan makes it of the values of other keys. mint: keyplan has the key made at its provider. Without a source, `keyplan keys set` stores the value."
      ),
      .init(
        "parts", .own("variables by part"),
        help:
          "The variables of a key with several parts, by part; null for a part that is not exported. In targets each part is a key: aws-deploy.accessKeyId."
      ),
      .init(
        "expires", .own("a name, or a policy"), isHarmless: true,
        help: "When the key expires: a policy's name, or a policy."),
      .init(
        "issued", .moment, isHarmless: true,
        help: "When the provider issued it. Without it, the age counts from when the value was first stored."),
      .init("variable", .variable, isHarmless: true, help: "The key's own variable, instead of its provider's."),
      .init(
        "unsafeName", .flag,
        help: "Whether its variable may be one that affects what programs load, run or trust, such as LD_PRELOAD."),
      .init(
        "follow", .choice(Key.Follow.allCases.map(\.rawValue)), isHarmless: true,
        help: "always (default): a changed value at the source is stored. once: only the first one is."),
      .init(
        "protected", .flag, isHarmless: true,
        help: "Whether it is kept when it is removed from the manifest, until somebody forgets it explicitly."),
      .init(
        "recipients", .defined("readers"),
        help: "The recipients that can open its value, by name; without it, all with full access."),
      .init("labels", .own("texts by name"), help: "Labels for people and filters."),
      .init("cache", .defined("cache"), help: "How long programs may keep the value."),
    ])
  static let slot = Shape(
    "a slot",
    [
      .init("keys", .defined("candidates"), isRequired: true, help: "A key, or keys in order of preference."),
      .init("recipients", .defined("readers"), help: "The recipients that can open the values of all of these keys."),
    ])
  static let command = Shape(
    "a command",
    [
      .init("command", .own("a list of texts"), isRequired: true, help: "The program and its arguments."),
      .init("timeout", .duration, isHarmless: true, help: "How long it may run."),
      .init("variables", .own("a list of variables"), help: "Variables that it gets in addition to the usual ones."),
      .init(
        "directory", .text, help: "The working directory, relative to the manifest. Default: a private empty directory."
      ),
      .init(
        "data", .own("a list of texts"),
        help: "Arguments that name data files: a change of these files needs no new permission."),
    ])
  static let reference = Shape(
    "a reference",
    [
      .init("from", .text, isRequired: true, help: "The scheme, or the name of a connection."),
      .init("path", .text, isRequired: true, help: "The part between :// and # of a reference."),
      .init("field", .text, help: "The part after # of a reference."),
    ])
  static let generated = Shape(
    "a generated value",
    [
      .init(
        "generate", .own("a format, or a mapping"), isRequired: true,
        help: "The format, or the format and the number of bytes.")
    ])
  static let generator = Shape(
    "generate",
    [
      .init("format", .defined("generatedFormat"), help: "How the random bytes are written (default: hex)."),
      .init("bytes", .own("16 to 1024"), help: "The number of random bytes (default: 32). A UUID has a fixed number."),
    ])
  static let composed = Shape(
    "a composed value",
    [
      .init(
        "compose", .text, isRequired: true,
        help:
          "A text with the values of other keys: {NAME}, {NAME:url}, {NAME:json} or {NAME:base64}; {{ and }} are braces. At most 64 KiB and 32 keys."
      )
    ])
  static let mint = Shape(
    "a key that is made",
    [
      .init(
        "mint", .text, isRequired: true, help: "The connection through which keys are made: its type ends with -keys.")
    ])
  static let cache = Shape(
    "a cache",
    [
      .init(
        "fresh", .duration, isHarmless: true,
        help: "The age at which a program requests the value again. It keeps the value until it gets an answer."),
      .init("stale", .duration, isHarmless: true, help: "The age from which reading fails."),
    ])
  static let calendar = Shape(
    "a calendar",
    [
      .init(
        "service", .choice(["google", "outlook", "caldav"]), isRequired: true, isHarmless: true,
        help: "The calendar's service."),
      .init("account", .text, isRequired: true, help: "The account's name at the service."),
      .init(
        "calendar", .text, isHarmless: true, help: "A calendar's name or id. Default: the account's primary calendar."),
      .init("client", .defined("client"), help: "The application that asks for consent; for google and outlook."),
      .init(
        "signIn", .choice(["browser", "device", "serviceAccount", "clientCredentials"]), isHarmless: true,
        help:
          "How tokens are obtained: by a person in a browser (loopback and PKCE) or on another device; without a person by a Google service account, or at Microsoft by the client itself. Default: browser for google, device for outlook."
      ),
      .init("url", .text, help: "The server's https:// address; for caldav."),
      .init("password", .source, help: "Where the password is found; for caldav."),
      .init(
        "token", .source, help: "A refresh token to import once, instead of an interactive sign-in."),
      .init("keyFile", .source, help: "Where the service account's key file is found; for signIn: serviceAccount."),
      .init(
        "expires", .own("a name, or a policy"), isHarmless: true,
        help: "When a sign-in expires: a policy's name, or a policy."),
      .init(
        "endpoints", .defined("endpoints"),
        help: "Addresses instead of the service's own, for tests and private clouds."),
    ])
  static let endpoints = Shape(
    "endpoints",
    [
      .init("authorize", .text, help: "The authorization endpoint."),
      .init("token", .text, help: "The token endpoint."),
      .init("device", .text, help: "The device authorization endpoint."),
      .init("revoke", .text, help: "The revocation endpoint."),
      .init("api", .text, help: "The base address of the calendar API."),
    ])
  static let client = Shape(
    "a client",
    [
      .init("id", .text, isRequired: true, help: "The client ID (not a secret)."),
      .init("secret", .source, help: "Where its client secret is found."),
      .init("tenant", .text, help: "The tenant; for outlook."),
      .init(
        "publishing", .choice(["testing", "production"]), isHarmless: true,
        help: "The app's status at Google: in testing, consent ends after seven days."),
    ])
  static let entry = Shape(
    "an entry of a target",
    [
      .init("from", .defined("feed"), isRequired: true, help: "The slot, such as active.assistant."),
      .init("names", .own("texts by provider"), isRequired: true, help: "The names at the target, by provider."),
    ])
  static let rule = Shape(
    "a rule",
    [
      .init(
        "environments", .list(of: .name),
        help: "The environments that it applies to. Default: all, and none."),
      .init("keys", .list(of: .name), help: "The keys that it applies to. Default: all."),
      .init(
        "maxAge", .duration,
        help:
          "The maximum age of a key, counted from when it was issued or else first stored; a key may have a policy that ends it sooner."
      ),
      .init(
        "allowSources", .list(of: .text),
        help:
          "The allowed kinds of sources: env, dotenv, command, the name of a connection …; store for a key without a source, generate for a generated value, compose for one that is made of others."
      ),
      .init("forbidSources", .list(of: .text), help: "The forbidden kinds of sources."),
      .init("allowProviders", .list(of: .text), help: "The allowed providers."),
    ])
  static let migration = Shape(
    "a migration",
    [
      .init("moved", .name, help: "The name that the key had. Its history is kept."),
      .init("adopt", .source, help: "Where the value is imported from."),
      .init(
        "to", .own("a name, or `calendar.NAME`"), isRequired: true,
        help:
          "The declared key; with adopt, one without a source, or calendar.NAME for an account that imports another program's refresh token."
      ),
      .init(
        "original", .choice(["keep", "remove"]), isHarmless: true,
        help: "What happens to an imported original: keep (default) or remove."),
    ])
  static let hook = Shape("a hook", command.rows)

  /// The shapes of all places in the manifest, for rules that apply to a field in any of them.
  static let all = [
    manifest, store, recipient, provider, check, policy, exposed, verify, key, slot, command, reference, generated,
    generator, composed, mint, cache, calendar, endpoints, client, entry, rule, migration,
  ]
}
