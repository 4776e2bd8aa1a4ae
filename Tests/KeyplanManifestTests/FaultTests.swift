import KeyplanModel
import KeyplanPlanning
import TestTools
import Testing

@testable import KeyplanManifest

/// One fault of each kind, at its place.
@Suite struct FaultTests {
  @Test("the smallest manifest has four lines") func smallest() throws {
    let manifest = try #require(
      check(
        """
        version: 1
        keys:
          main: { provider: openai, source: env://OPENAI_API_KEY }
        active: main
        """
      ).manifest)
    let key = try #require(Identifier<Key>("main").flatMap { manifest.keys[$0] })
    #expect(
      key.facts == KeyFacts(provider: "openai", variable: "OPENAI_API_KEY", sources: ["env://OPENAI_API_KEY"]))
    #expect(manifest.slots.keys.map(\.name) == ["default"])
    #expect(manifest.recipients == nil)
  }

  @Test("unknown fields are said with the nearest one") func unknownFields() {
    check(
      """
      version: 1
      1️⃣actve: main
      keys:
        main: { provider: openai, 2️⃣sorce: env://A }
        other: { provider: openai, 3️⃣zebra: 1 }
      """,
      Fault(.unknownField, "\"actve\" is not a field of the manifest", hint: "Did you mean \"active\"?"),
      Fault(.unknownField, "\"sorce\" is not a field of a key", hint: "Did you mean \"source\"?"),
      Fault(.unknownField, hint: "The fields of a key are provider, model"))
  }

  @Test("an unknown provider is a fault, whether or not the key names its variable") func unknownProviders() {
    check(
      """
      version: 1
      keys:
        main: { provider: 1️⃣opnai, source: env://A }
        other: { provider: 2️⃣opnai, variable: OTHER, source: env://B }
      """,
      Fault(.undeclaredName, "\"opnai\"", hint: "Did you mean \"openai\"?"),
      Fault(.undeclaredName, "\"opnai\"", hint: "Did you mean \"openai\"?"))
  }

  @Test("names that stand twice are said where they stand again") func duplicates() {
    check(
      """
      version: 1
      keys:
        main: { provider: openai }
        1️⃣main: { provider: anthropic }
      """,
      Fault(.duplicateField, "\"main\" is already defined in line 3."))
  }

  @Test("a wrong type is said with what stands there") func wrongTypes() {
    check(
      """
      version: 1️⃣one
      store: 2️⃣[a]
      keys:
        a: 3️⃣openai
        b: { provider: 4️⃣5, protected: 5️⃣yes, labels: 6️⃣[x] }
        c: { provider: openai, source: 7️⃣1234 }
      targets: 8️⃣[]
      """,
      Fault(.wrongType, "must be the number 1, not a string"),
      Fault(.wrongType, "must be a string, not a list"),
      Fault(.wrongType, "Expected the fields of a key, not a string"),
      Fault(.wrongType, "not a number", hint: "put it in quotes"),
      Fault(.wrongType, "must be true or false, not a string"),
      Fault(.wrongType, "not a list"),
      Fault(.wrongType, "not a number"),
      Fault(.wrongType, "not a list"))
  }

  @Test("a field that must be there is missed where it should be") func missing() {
    check(
      """
      1️⃣keys:
        a: 2️⃣{ source: env://A }
      targets:
        t: 3️⃣{ type: dotenv, keys: {} }
        u: 5️⃣{ type: dotenv, path: x }
      policies:
        p: 4️⃣{ warn: 3d }
      """,
      Fault(.missingField, "\"version\"", hint: "version: 1"),
      Fault(.missingField, "\"provider\"", hint: "provider: generic"),
      Fault(.missingField, "\"path\""),
      Fault(.missingField, hint: "after: 90d"), Fault(.missingField, "\"keys\""))
  }

  @Test("a field that is there under a slip of its name is not missing on top") func slip() {
    check(
      """
      version: 1
      keys:
        a: { 1️⃣provder: openai, source: env://A }
        b: 2️⃣{ 3️⃣sorce: env://A }
        c: { provider: openai, source: env://A, expires: { 4️⃣aftr: 90d } }
      targets:
        t: { 5️⃣typ: dotenv, 6️⃣pth: .env, 7️⃣kyes: { A: a } }
      """,
      Fault(.unknownField, hint: "Did you mean \"provider\"?"), Fault(.missingField, "\"provider\""),
      Fault(.unknownField, hint: "Did you mean \"source\"?"), Fault(.unknownField, hint: "Did you mean \"after\"?"),
      Fault(.unknownField, hint: "Did you mean \"type\"?"), Fault(.unknownField, hint: "Did you mean \"path\"?"),
      Fault(.unknownField, hint: "Did you mean \"keys\"?"))
  }

  @Test("two slots that share a variable whatever they choose are refused") func sharedVariables() {
    check(
      """
      version: 1
      keys:
        a: { provider: openai }
        b: { provider: openai }
        c: { provider: openai }
        d: { provider: anthropic }
        e: { provider: openai, variable: OTHER }
        f: { provider: generic }
      active:
        one: [a, b]
        1️⃣two: c
        shared: [b, c]
        mixed: [c, d]
        other: e
        nameless: f
        2️⃣again: c
      """,
      Fault(.conflict, "active.one and active.two always share the variable OPENAI_API_KEY"),
      Fault(.conflict, "active.one and active.again"))
  }

  @Test("version 2 is not read as if it were version 1") func version() {
    check("version: 1️⃣2", Fault(.invalidValue, "supports version 1"))
  }

  @Test("names have their shape, and a likely one is offered") func names() {
    check(
      """
      version: 1
      keys:
        1️⃣OpenAI: { provider: openai }
        2️⃣a.b: { provider: openai }
        3️⃣-x: { provider: openai }
      """,
      Fault(.invalidValue, "A key's name", hint: "\"openai\""), Fault(.invalidValue, hint: "\"a-b\""),
      Fault(.invalidValue))
  }

  @Test("durations, dates and words are of their kind") func values() {
    check(
      """
      version: 1
      policies:
        p: { after: 1️⃣90, then: 2️⃣retired }
        q: { after: 10d, warn: 3️⃣10d }
      keys:
        a: { provider: openai, issued: 4️⃣2026-02-30, follow: 5️⃣never, expires: { on: 6️⃣tomorrow } }
        b: { provider: openai, cache: { fresh: 2d, stale: 7️⃣1d } }
        c: { provider: openai, variable: 8️⃣1X }
        d: { provider: openai, variable: 9️⃣KEYPLAN_IDENTITY }
      """,
      Fault(.invalidValue, hint: "90d"), Fault(.invalidValue, "warn, retire or rotate", hint: "\"retire\""),
      Fault(.invalidValue, "not shorter"), Fault(.invalidValue, "a date"),
      Fault(.invalidValue, "always or once"),
      Fault(.invalidValue, "a date"), Fault(.invalidValue, "shorter than"), Fault(.invalidValue, "variable's name"),
      Fault(.invalidValue, "belong to keyplan"))
  }

  @Test("a duration or a date in the place of a policy is reported with the form that is meant") func inlineExpiry() {
    check(
      """
      version: 1
      keys:
        a: { provider: openai, expires: 1️⃣90 }
        b: { provider: openai, expires: 2️⃣90d }
        c: { provider: openai, expires: 3️⃣2027-03-01 }
      """,
      Fault(.wrongType, "policy's name", hint: "{ after: 90d }"), Fault(.undeclaredName, hint: "{ after: 90d }"),
      Fault(.undeclaredName, hint: "{ on: 2027-03-01 }"))
  }

  @Test("what no entry declares is said with the nearest name") func undeclared() {
    check(
      """
      version: 1
      policies:
        quarterly: { after: 90d }
      keys:
        main: { provider: 1️⃣openia }
        other: { provider: generic, expires: 2️⃣quartely }
      active:
        a: [main, 3️⃣othr]
        b: [main]
      targets:
        t: { type: dotenv, path: .env, keys: { X: 4️⃣mian, Y: 5️⃣active.c, Z: 6️⃣b } }
      """,
      Fault(.undeclaredName, "Unknown provider", hint: "\"openai\""),
      Fault(.undeclaredName, "Unknown policy", hint: "\"quarterly\""),
      Fault(.undeclaredName, "Unknown key", hint: "\"other\""), Fault(.undeclaredName, "Unknown key", hint: "\"main\""),
      Fault(.undeclaredName, "Unknown slot"), Fault(.undeclaredName, "is a slot", hint: "active.b"))
  }

  @Test("an address in the place of a name is said with the name") func addressesAsNames() {
    check(
      """
      version: 1
      keys:
        main: { provider: openai }
      active:
        a: 1️⃣key.main
        b: [2️⃣key.mian]
        c: main
      targets:
        t: { type: dotenv, path: .env, keys: { X: 3️⃣key.main, Y: 4️⃣slot.c, Z: 5️⃣c } }
      """,
      Fault(.undeclaredName, "Unknown key \"key.main\".", hint: "Write the name alone: main."),
      Fault(.undeclaredName, "Unknown key \"key.mian\"."),
      Fault(.undeclaredName, hint: "Write the name alone: main."),
      Fault(.undeclaredName, "is a slot", hint: "Write active.c."),
      Fault(.undeclaredName, "is a slot", hint: "Write active.c."))
  }

  @Test("a file with an empty object is told how to begin") func emptyObject() {
    check("1️⃣{}", Fault(.missingField, "\"version\" is missing", hint: "In JSON: {\"version\": 1, \"keys\": {}}."))
  }

  @Test("a provider of which nothing is known is probably a slip") func bareProviders() throws {
    let reading = check(
      "version: 1\nproviders: { openai: {}, 1️⃣opnai: {}, acme: { variable: ACME } }",
      Fault(.questionable, hint: "\"openai\""))
    #expect(reading.manifest != nil)
  }

  @Test("a slot has keys, each once") func slots() {
    check(
      """
      version: 1
      keys:
        main: { provider: openai }
      active:
        a: 1️⃣[]
        b: [main, 2️⃣main]
      """,
      Fault(.invalidValue, "empty"), Fault(.conflict, "twice"))
  }

  @Test("recipients are age recipients with a sound checksum, each once, and never a secret key") func recipients() {
    check(
      """
      version: 1
      recipients:
        a: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
        1️⃣b: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
        c: 2️⃣age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8q
        d: { key: age1t7rxyev2z3rw82stdlrrepyc39nvn86l5078zqkf5uasdy86jp6svpy7pa, can: 3️⃣read }
      """,
      Fault(.conflict, "the same recipient as \"a\""), Fault(.invalidValue, "with its checksum"),
      Fault(.invalidValue, "full or plan"))
  }

  @Test("recipients that name nobody are refused where they stand") func nobody() {
    check("version: 1\nrecipients: 1️⃣{}", Fault(.invalidValue, "nobody could open"))
  }

  @Test("a format outside the subset is refused at its character") func formats() {
    check(
      """
      version: 1
      providers:
        acme: { format: "ac((1️⃣a))" }
        beta: { format: ab2️⃣+ }
        gamma: { format: '[a3️⃣-', variable: X }
      """,
      Fault(.invalidValue, "nested"), Fault(.invalidValue, "backslash"), Fault(.invalidValue, "not closed"))
  }

  @Test("after and on exclude each other") func expiry() {
    check(
      """
      version: 1
      policies:
        p: { after: 9d, 1️⃣on: 2027-01-01 }
      """,
      Fault(.conflict, "cannot be combined"))
  }

  @Test("a store is a file or a PostgreSQL address without a password") func stores() {
    check("version: 1\nstore: 1️⃣mysql://host/db", Fault(.invalidValue, "postgres://"))
    check("version: 1\nstore: 1️⃣postgres://me:pw@host/db", Fault(.secretInManifest, "password"))
    check("version: 1\nstore: 1️⃣postgres://host/db?password=pw", Fault(.secretInManifest, "password"))
    #expect(check("version: 1\nstore: postgres://me@host/db").settings.store == "postgres://me@host/db")
    check("version: 1\nstore: { url: 1️⃣postgres://me:pw@host/db }", Fault(.secretInManifest, "password"))
    check("version: 1\nstore: { url: 1️⃣.keyplan/x.db }", Fault(.invalidValue, "postgres://"))
    check("version: 1\nstore: 1️⃣{ password: env://P }", Fault(.missingField, "url"))
    #expect(check("version: 1\nstore: { pin: serial }").settings.pinsSerial)
    #expect(check("version: 1\nstore: { url: x.db, pin: serial }").settings.store == "x.db")
    #expect(check("version: 1\nstore: { url: postgres://h/d, replica: true }").settings.isReplica)
    check("version: 1\nstore: { pin: 1️⃣root }", Fault(.invalidValue, "serial"))
    check("version: 1\nstore: 1️⃣{ replica: true }", Fault(.missingField, "url"))
    check("version: 1\nstore: { url: 1️⃣x.db, pin: serial, replica: true }", Fault(.invalidValue, "postgres://"))
    let base = "version: 1\nstore: { url: postgres://h/d, password: "
    check(base + "1️⃣file:///etc/password }", Fault(.invalidReference, "in the manifest's folder"))
    check(base + "1️⃣{ command: [pass, db] } }", Fault(.invalidReference, "in the manifest's folder"))
    let settings = check(base + "env://DB_PASSWORD }").settings
    #expect(settings.store == "postgres://h/d" && settings.storePassword?.description == "env://DB_PASSWORD")
    #expect(check("version: 1\ndefaultEnvironment: prod").settings.defaultEnvironment == "prod")
    check("version: 1\ndefaultEnvironment: 1️⃣../prod", Fault(.invalidValue))
  }

  @Test("connections, calendars and checks are held to their shape though nothing uses them yet") func later() {
    check(
      """
      version: 1
      connections:
        1️⃣env: { type: vault }
        bao: { type: 2️⃣valt, address: 3️⃣http://bao.example }
      providers:
        acme: { address: 4️⃣https://me:pw@api.acme.dev }
        beta: { address: https://api.beta.dev, check: 5️⃣{ get: /me, outcomes: [{ status: 6️⃣20, then: valid }] } }
      calendars:
        work: 7️⃣{ service: google, account: a@b.c }
        home: { service: 8️⃣gogle, account: a@b.c, client: 9️⃣{ tenant: x } }
      """,
      Fault(.conflict, "built-in scheme"), Fault(.invalidValue, hint: "\"vault\""), Fault(.invalidValue, "https://"),
      Fault(.secretInManifest, "credentials"), Fault(.invalidValue, "{key}"), Fault(.invalidValue, "whole number"),
      Fault(.missingField, "\"client\""), Fault(.invalidValue, hint: "\"google\""), Fault(.missingField, "\"id\""))
  }

  @Test("calendar accounts are held to their service") func calendars() {
    check(
      """
      version: 1
      calendars:
        a: { service: caldav, account: x, url: https://x.dev/, password: env://P, 1️⃣client: { id: "1" } }
        b: 2️⃣{ service: caldav, account: x, url: https://x.dev/ }
        c: { service: google, account: x, client: { id: "1", secret: env://S, 3️⃣tenant: t }, 4️⃣url: https://x.dev/ }
        d: { service: outlook, account: x, client: 5️⃣{ id: "1", tenant: t }, signIn: clientCredentials }
        e: { service: outlook, account: x, client: { id: "1" }, 6️⃣signIn: serviceAccount }
        f: 7️⃣{ service: google, account: x, signIn: serviceAccount, 8️⃣token: env://T }
        g: { service: google, account: x, 9️⃣client: { id: "1" } }
      """,
      Fault(.conflict, "CalDAV"), Fault(.missingField, "\"password\""), Fault(.conflict, "only for Microsoft"),
      Fault(.conflict, "endpoints"), Fault(.missingField, "\"secret\""), Fault(.conflict, hint: "clientCredentials"),
      Fault(.missingField, "\"keyFile\""), Fault(.conflict, "does not have"),
      Fault(.questionable, "without a secret"))
  }

  @Test("an account's secrets stand nowhere in it, and names are held to what there is") func accountFields() {
    check(
      """
      version: 1
      policies: { yearly: { after: 365d } }
      calendars:
        a: { service: google, account: x, client: { id: "1", secret: 1️⃣GOCSPX-value } }
        b: { service: caldav, account: x, url: 2️⃣http://x.dev/, password: 3️⃣hunter2 }
        c: { service: outlook, account: x, client: { id: "1" }, expires: 4️⃣yearley }
        d: { service: outlook, account: x, client: { id: "1" }, endpoints: { 5️⃣tokn: https://x.dev/, api: 6️⃣ftp://x } }
        e: { service: outlook, account: x, client: { id: "1" }, signIn: 7️⃣devise, token: 8️⃣$TOKEN }
      """,
      Fault(.invalidReference), Fault(.invalidValue, "https://"), Fault(.invalidReference),
      Fault(.undeclaredName, hint: "yearly"), Fault(.unknownField, hint: "\"token\""), Fault(.invalidValue, "https://"),
      Fault(.invalidValue, hint: "\"device\""), Fault(.invalidReference, hint: "env://"))
  }

  @Test("migrations lead to declared keys and never in a circle") func migrations() {
    check(
      """
      version: 1
      keys:
        a: { provider: openai }
        b: { provider: openai, source: env://B }
      migrations:
        - { moved: old, to: a }
        - { moved: 1️⃣b, to: a }
        - { moved: x, to: 2️⃣nothing }
        - { moved: 3️⃣r, to: s }
        - { moved: 4️⃣s, to: r }
        - { adopt: "dotenv://.env#A", to: 5️⃣b }
        - 6️⃣{ to: a }
        - { moved: older, to: old, 7️⃣original: keep }
        - { moved: 8️⃣old, to: b }
      """,
      Fault(.conflict, "still declared"), Fault(.undeclaredName, "Unknown key"), Fault(.conflict, "form a circle"),
      Fault(.conflict, "form a circle"), Fault(.conflict, "has a source"), Fault(.missingField, hint: "moved: KEY"),
      Fault(.conflict, "combined with \"adopt\""), Fault(.conflict, "moved twice"))
  }

  @Test("what is adopted comes from where it can be had, for a key without a source, once") func adoptions() {
    check(
      """
      version: 1
      connections: { bao: { type: vault, address: "https://bao" } }
      keys:
        a: { provider: openai }
        b: { provider: openai }
        c: { provider: openai }
        d: { provider: openai }
      migrations:
        - { adopt: env://A, to: a, original: 1️⃣remove }
        - { adopt: { command: [op, read] }, to: b, original: 2️⃣remove }
        - { adopt: "dotenv://.env#B", to: c, original: keep }
        - { adopt: "dotenv://.env#C", to: 3️⃣c }
        - { adopt: "dotenv://.env#D", to: 4️⃣nothing }
        - { adopt: 5️⃣dotenv://.env, to: d }
        - { adopt: "file://f", to: d, original: 6️⃣drop }
        - { adopt: 7️⃣A, to: d }
      """,
      Fault(.invalidValue, "Values cannot be removed from env sources.", hint: "original: keep"),
      Fault(.invalidValue, "Values cannot be removed from command sources."),
      Fault(.conflict, "\"c\" is already the destination of migration 3."), Fault(.undeclaredName),
      Fault(.invalidReference),
      Fault(.invalidValue), Fault(.invalidReference))
  }

  @Test("tokens are adopted for accounts that people sign in to") func takeovers() throws {
    let accounts = """
      version: 1
      keys: { k: { provider: openai } }
      calendars:
        home: { service: google, account: a@gmail.com, client: { id: i, secret: env://S } }
        ci: { service: google, account: b@gmail.com, client: { id: i, secret: env://S }, token: env://T }
        dav: { service: caldav, account: a, url: "https://dav.example.com/", password: env://P }

      """
    check(
      accounts + """
        migrations:
          - { adopt: "file://~/.gcalcli_oauth", to: 1️⃣calendar.hom }
          - { adopt: "file://~/.gcalcli_oauth", to: 2️⃣home }
          - { adopt: "file://~/.gcalcli_oauth", to: 3️⃣calendar.ci }
          - { adopt: "file://~/.gcalcli_oauth", to: 4️⃣calendar.dav }
          - { adopt: "file://~/.gcalcli_oauth", to: calendar.home, original: remove }
          - { adopt: { command: [pizauth, dump] }, to: 5️⃣calendar.home }
          - { moved: x, to: 6️⃣calendar.home }
        """,
      Fault(.undeclaredName, "Unknown calendar account \"hom\".", hint: "Did you mean \"home\"?"),
      Fault(.undeclaredName, "Unknown key \"home\".", hint: "Did you mean \"calendar.home\"?"),
      Fault(.conflict, "\"ci\" has a \"token\""), Fault(.conflict, "\"dav\" has no interactive sign-in"),
      Fault(.conflict, "\"calendar.home\" is already the destination of migration 5."), Fault(.undeclaredName))
    let manifest = try #require(
      check(
        accounts + """
          migrations:
            - { adopt: "file://~/.gcalcli_oauth", to: calendar.home, original: remove }
          """
      ).manifest)
    let migration = try #require(manifest.migrations.first)
    #expect(migration.account?.name == "home")
    #expect(migration.key == nil)
    #expect(migration.removesOriginal)
    #expect(migration.mark == "adopt calendar.home file://~/.gcalcli_oauth")
  }

  @Test("one original is removed by one migration; others that adopt it keep it") func originals() throws {
    let manifest = try #require(
      check(
        """
        version: 1
        keys: { a: { provider: openai }, b: { provider: openai }, c: { provider: openai } }
        migrations:
          - { adopt: "dotenv://.env#A", to: a, original: remove }
          - { adopt: "dotenv://./.env#A", to: b }
          - { adopt: "dotenv:///etc/env#A", to: c, original: remove }
        """
      ).manifest)
    #expect(manifest.migrations.map(\.removesOriginal) == [true, false, true])
    #expect(
      manifest.migrations.map { $0.original?.description } == [
        "dotenv://.env#A", "dotenv://.env#A", "dotenv:///etc/env#A",
      ])
    #expect(manifest.migrations[2].original?.surface == ExternalAccess(.path, "/etc/env"))
    #expect(manifest.migrations[0].mark == "adopt a dotenv://.env#A")
    check(
      """
      version: 1
      keys: { a: { provider: openai }, b: { provider: openai } }
      migrations:
        - { adopt: "dotenv://.env#A", to: a, original: remove }
        - { adopt: "dotenv://x/../.env#A", to: b, original: 1️⃣remove }
      """,
      Fault(.conflict, "Migration 1 already removes", hint: "original: keep"))
  }

  @Test("an adoption through a connection is not supported yet, and says so at its place") func laterAdoptions() {
    let reading = check(
      """
      version: 1
      keys: { a: { provider: openai } }
      migrations:
        - { adopt: "keychain://secret/a#key", to: a }
      """)
    #expect(reading.manifest?.unsupported.map { $0.address } == [.migration(1)])
    #expect(reading.manifest?.migrations.isEmpty == true)
  }

  @Test("diagnostics name what they belong to") func addresses() {
    let reading = check(
      "version: 1\nkeys:\n  main: { provider: openai, source: 1️⃣nothing }", Fault(.invalidReference))
    #expect(reading.diagnostics.first?.address?.description == "key.main")
    #expect(reading.diagnostics.first?.place == FileLocation(file: "keyplan.yaml", line: 3, column: 37, width: 7))
  }
}
