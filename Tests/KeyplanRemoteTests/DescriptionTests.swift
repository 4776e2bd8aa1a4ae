import KeyplanModel
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite struct DescriptionTests {
  /// A description with nothing wrong, of which each test changes a line.
  static let sound = """
    summary: A service
    connection: {address: {type: url, default: "https://service.example"}, token: {type: secret}, zone: {type: label}}
    target: {project: {type: name, required: true}}
    base: "{address}/v1/{project}"
    auth: [{bearer: "{token}"}]
    lookups: {key: {get: /key, yields: {keyId: /id}}}
    names: {pattern: "[A-Z]{1,9}"}
    list: {get: /list, entries: {each: "", name: /name, value: /value, version: /version}}
    put: {put: "/{name}", json: {v: "{value}", k: "{keyId}"}}
    delete: {delete: "/{name}", outcomes: [{status: 404, then: missing}]}
    """

  struct Case: Sendable, CustomTestStringConvertible {
    /// The beginning of the line that is replaced.
    let field: String
    let line: String
    let path: String
    let kind: DescriptionFault.Kind
    var testDescription: String { line }

    init(_ field: String, _ line: String, _ path: String, _ kind: DescriptionFault.Kind) {
      self.field = field
      self.line = line
      self.path = path
      self.kind = kind
    }
  }

  private static let signature =
    "sign: {kind: sigv4, service: s, region: r, accessKeyId: a, secretAccessKey: \"{token}\"}"

  private static func assertion(_ more: String) -> String { "sign: {kind: rs256, key: \"{token}\", \(more)}" }

  private static let entries = "entries: {each: \"\", name: /name, value: /value}"
  private static let keys = "entries: {each: \"\", id: /id, name: /name}"
  private static let mint = "post: /k, json: {n: \"{label}\"}, yields: {id: /id, key: /key}"

  /// A rotation with something besides what it must have.
  private static func rotation(_ more: String, _ path: String, _ kind: DescriptionFault.Kind) -> Case {
    let whole = "mint: {\(mint)}, list: {get: /k, \(keys)}, revoke: {delete: \"/{id}\"}"
    return Case("delete", "rotate: {\(whole), \(more)}", path, kind)
  }

  static let cases = [
    Case("summary", "summary: 7", "/summary", .wrongType(.text)),
    Case("summary", "sumary: x", "/sumary", .unknownField("sumary")),
    Case("summary", "auth: []", "/auth", .duplicateField("auth")),
    Case("base", "base: \"{project}/v1\"", "/base", .host),
    Case("base", "base: \"https://{project}.example\"", "/base", .host),
    Case("base", "base: \"http://service.example/{address}\"", "/base", .host),
    Case("base", "base: \"{address}.evil.example/v1/{project}\"", "/base", .host),
    Case("base", "base: \"{address}{project}\"", "/base", .host),
    Case("list", "list: {get: .evil.example/list, \(entries)}", "/list/get", .path),
    Case("list", "list: {get: \"{project}\", \(entries)}", "/list/get", .path),
    Case("list", "list: {get: \"@evil.example/list\", \(entries)}", "/list/get", .path),
    Case("base", "base: \"{address}/{nothing}\"", "/base", .unknownVariable("nothing")),
    Case("base", "base: \"{address}/{token}\"", "/base", .secretNotAllowed("token")),
    Case("base", "base: \"{address}/v1?x=1\"", "/base", .invalidText("/v1?x=1")),
    Case("base", "base: \"{address\"", "/base", .brace),
    Case("auth", "auth: [{bearer: \"{token|md5}\"}]", "/auth/0/bearer", .unknownTransform("md5")),
    Case("auth", "auth: [{when: [tokn], bearer: \"{token}\"}]", "/auth/0/when", .unknownVariable("tokn")),
    Case("auth", "auth: [{anonymous: true}, {bearer: \"{token}\"}]", "/auth/0", .anonymousWithCredential),
    Case("auth", "auth: [{anonymous: true, bearer: \"{token}\"}]", "/auth/0", .anonymousWithCredential),
    Case(
      "connection", "connection: {address: {type: label, scheme: http}}", "/connection/address/scheme",
      .unknownField("scheme")),
    Case(
      "connection", "connection: {address: {type: label, ending: /api}}", "/connection/address/ending",
      .unknownField("ending")),
    Case(
      "connection", "connection: {address: {type: url, scheme: ftp}}", "/connection/address/scheme",
      .notOneOf(["http", "https"])),
    Case(
      "put", "put: {put: \"/{name}\", json: {v: \"{value}\", k: \"{zone|fromNow}\"}}", "/put/json/k",
      .wrongType(.number)),
    Case(
      "put", "put: {put: \"/{name}\", json: {v: \"{value}\"}, yields: {token: /t}}", "/put/yields/token",
      .invalidText("token")),
    Case(
      "list", "list: {get: \"/list\", query: {v: \"{seen}\"}, \(entries)}", "/list/query/v", .unknownVariable("seen")),
    Case(
      "summary", "summary: x\nnotices: [{step: create, when: {other: a}, say: x}]", "/notices/0/when/other",
      .unknownVariable("other")),
    Case(
      "summary", "summary: x\nnotices: [{step: create, when: {token: a}, say: x}]", "/notices/0/when/token",
      .unknownVariable("token")),
    Case(
      "summary", "summary: x\nnotices: [{step: update, say: x}]", "/notices/0/step", .notOneOf(["create", "remove"])),
    Case(
      "summary", "summary: x\nplaces: [{path: /p, values: {token: \"x\"}}]", "/places/0/values", .invalidText("token")),
    Case(
      "summary", "summary: x\nplaces: [{path: /p, values: {shown: \"{token}\"}}]", "/places/0/values/shown",
      .secretNotAllowed("token")),
    Case("auth", "auth: [{sign: {kind: hmac, key: \"{token}\"}}]", "/auth/0/sign/kind", .unsupportedSigner("hmac")),
    Case("auth", "auth: [{sign: {kind: sigv4, region: a}}]", "/auth/0/sign", .missingField("service")),
    Case("auth", "auth: [{\(signature), bearer: \"{token}\"}]", "/auth/0", .severalCredentials),
    Case("auth", "auth: [{\(assertion("lifetime: 3601"))}]", "/auth/0/sign/lifetime", .wrongType(.number)),
    Case("auth", "auth: [{\(assertion("claims: {exp: 1}"))}]", "/auth/0/sign/claims/exp", .unknownField("exp")),
    Case("auth", "auth: [{\(assertion("header: {alg: none}"))}]", "/auth/0/sign/header/alg", .unknownField("alg")),
    Case("auth", "auth: [{\(assertion("service: ssm"))}]", "/auth/0/sign/service", .unknownField("service")),
    Case("auth", "auth: [{members: {zone: {email: /a}}}]", "/auth/0/members/zone", .secretRequired("zone")),
    Case("auth", "auth: [{members: {token: {zone: /a}}}]", "/auth/0/members/token/zone", .duplicateField("zone")),
    Case("auth", "auth: [{members: {token: {value: /a}}}]", "/auth/0/members/token/value", .invalidText("value")),
    Case("base", "base: \"{address}/{assertion}\"", "/base", .unknownVariable("assertion")),
    Case(
      "auth", "auth: [{login: [{post: /login, yields: {session: /token}}], bearer: \"{session}\"}]", "",
      .missingField("base")),
    Case("auth", "auth: [{header: {Host: \"{token}\"}}]", "/auth/0/header/Host", .invalidText("Host")),
    Case(
      "lookups", "lookups: {key: {get: \"/{keyId}\", yields: {keyId: /id}}}", "/lookups/key/get",
      .unknownVariable("keyId")),
    Case(
      "names", "names: {pattern: \"[A-Z]+\"}", "/names/pattern",
      .pattern(.specialCharacter)),
    Case("names", "limits: {least: 1}", "", .missingField("names")),
    Case("names", "names: {case: lower}", "/names/case", .notOneOf(["exact", "upper"])),
    Case("list", "list: {get: /list, put: /list, \(entries)}", "/list", .methods(2)),
    Case("list", "list: {\(entries)}", "/list", .methods(0)),
    Case("list", "list: {get: \"/{name}\", \(entries)}", "/list/get", .unknownVariable("name")),
    Case("list", "list: {get: /list, entries: {each: \"\", value: /value}}", "/list/entries", .missingField("name")),
    Case("list", "list: {get: /list, entries: {each: /items/0, name: /name}}", "/list/entries/each", .pointerIndex),
    Case("list", "list: {get: /list, entries: {each: items, name: /name}}", "/list/entries/each", .pointerSyntax),
    Case(
      "list", "list: {get: /list, query: {filter: 'name eq \"{project}\"'}, \(entries)}", "/list/query/filter",
      .textBesideVariable("name eq \"")),
    Case(
      "list", "list: {post: /graphql, json: {query: \"{ secret(name: {project}) }\"}, \(entries)}", "/list/json/query",
      .brace),
    Case(
      "list", "list: {get: /list, \(entries), outcomes: [{status: 404, then: missing}]}", "/list/outcomes/0",
      .missingWithoutEvidence),
    Case(
      "list", "list: {get: /list, \(entries), outcomes: [{status: 404, then: gone}]}", "/list/outcomes/0/then",
      .notOneOf(AnswerClass.ofSecrets.map(\.rawValue).sorted())),
    Case(
      "list", "list: {get: /list, \(entries), outcomes: [{is: 1, then: ok}]}", "/list/outcomes/0/is",
      .missingField("at")),
    Case("list", "list: {get: /list, \(entries), pages: {at: /next}}", "/list/pages", .missingField("query")),
    Case(
      "list", "list: {get: /list, query: {t: \"{token}\"}, \(entries)}", "/list/query/t", .secretNotAllowed("token")),
    Case("list", "takesEffect: now", "", .cannotObserve),
    Case("summary", "summary: x\nsources: [docs 2026]", "/sources", .wrongType(.object)),
    Case("summary", "summary: x\nsources: {docs: 2026}", "/sources/docs", .wrongType(.text)),
    Case("names", "names: {pattern: \"[A-Z]{1,9}\", source: docs}", "/names/source", .unknownSource("docs")),
    Case("put", "put: {put: \"/{name}\", raw: \"{value}\", source: [docs]}", "/put/source/0", .unknownSource("docs")),
    Case("put", "put: {put: \"/{name}\", raw: \"{value}\", source: 7}", "/put/source", .wrongType(.text)),
    Case(
      "delete", "outcomes: [{status: 404, then: denied, source: docs}]", "/outcomes/0/source", .unknownSource("docs")),
    Case("delete", "effectSource: docs", "", .missingField("takesEffect")),
    Case("put", "put: {put: \"/{name}\", query: {v: \"{value}\"}}", "/put/query/v", .secretNotAllowed("value")),
    Case("put", "put: {put: \"/{value}\", json: {n: \"{name}\"}}", "/put/put", .secretNotAllowed("value")),
    Case("put", "put: {put: /all, json: {v: \"{value}\"}}", "/put", .nameNotSent),
    Case("put", "put: {put: \"/{name}\", json: {v: \"x'{value}'\"}}", "/put/json/v", .textBesideVariable("x'")),
    Case("put", "put: {put: \"/{name}\", json: {}, form: {}}", "/put", .severalBodies),
    Case("put", "put: {put: \"/{name}\", raw: \"x{value}\"}", "/put/raw", .brace),
    Case("put", "put: {put: \"/{name}\", query: {cas: \"{version}\"}, raw: \"{value}\"}", "", .guardWithoutStale),
    Case("put", "put: {put: \"/{id}\", raw: \"{value}\"}", "", .neverRead("id")),
    Case("put", "put: {put: \"/{name}\", json: {$each: writes}}", "/put/json", .missingField("item")),
    Case("put", "put: {put: \"/{name}\", json: {$eech: writes}}", "/put/json/$eech", .unknownField("$eech")),
    Case("put", "create: {post: \"/{name}\", raw: \"{value}\"}", "", .createWithoutUpdate),
    Case("delete", "create: {post: \"/{name}\"}\nupdate: {put: \"/{name}\"}", "", .severalWaysToWrite),
    Case(
      "put", "putMany: {put: /all, json: {$map: all, value: \"{value}\"}}\nreadMany: 1", "/readMany",
      .wrongType(.object)),
    Case("delete", "outcomes: [{status: 404, then: missing}]", "/outcomes/0", .missingWithoutEvidence),
    Case(
      "delete", "check: {get: /me, auth: {bearer: \"{key}\"}, outcomes: [{status: 200, then: ok}]}",
      "/check/outcomes/0/then", .notOneOf(AnswerClass.ofChecks.map(\.rawValue).sorted())),
    Case(
      "delete", "check: {get: /me, outcomes: [{status: 200, then: valid}]}", "/check", .keyNotSent),
    Case(
      "delete", "check: {get: /me, auth: {bearer: \"{key}\"}, outcomes: [{then: invalid}]}", "/check/outcomes/0",
      .verdictWithoutCondition),
    Case("delete", "check: {get: \"/{key}\", outcomes: []}", "/check/get", .secretNotAllowed("key")),
    Case(
      "delete", "check: {get: /me, query: {k: \"{key}\"}, outcomes: []}", "/check/query/k", .secretNotAllowed("key")),
    Case(
      "delete", "check: {get: /me, auth: {bearer: \"{key}\"}, facts: {secret: /x}}", "/check/facts/secret",
      .unknownField("secret")),
    Case(
      "delete", "check: {get: /me, auth: {bearer: \"{key}\"}, activation: soon}", "/check/activation", .notAnInterval),
    Case(
      "delete", "check: {get: /me, auth: {bearer: \"{key}\"}, regions: [http://example.com]}", "/check/regions/0",
      .host),
    Case(
      "delete", "rotate: {list: {get: /k, \(keys)}, revoke: {delete: \"/{id}\"}}", "/rotate", .missingField("mint")),
    Case("delete", "rotate: {mint: {\(mint)}}", "/rotate", .missingField("list")),
    Case("delete", "rotate: {mint: {\(mint)}}", "/rotate", .missingField("revoke")),
    rotation("manual: {page: \"https://x.example\", steps: Do it.}", "/rotate", .severalWaysToMint),
    rotation("disable: {patch: /k}", "/rotate/disable", .nameNotSent),
    rotation(
      "disable: {patch: \"/{token}\", json: {id: \"{id}\"}}", "/rotate/disable/patch", .secretNotAllowed("token")),
    rotation("disable: {patch: \"/{name}/{id}\"}", "/rotate/disable/patch", .unknownVariable("name")),
    rotation("revok: {delete: \"/{id}\"}", "/rotate/revok", .unknownField("revok")),
    Case(
      "delete", "rotate: {manual: {page: http://x.example, steps: Do it.}}", "/rotate/manual/page", .host),
    Case("delete", "rotate: {manual: {page: \"https://x.example\"}}", "/rotate/manual", .missingField("steps")),
    Case(
      "delete", "rotate: {manual: {page: \"https://x.example\", steps: Do it.}, revoke: {delete: \"/{id}\"}}",
      "/rotate",
      .missingField("list")),
    Case(
      "delete", "rotate: {mint: {post: /k, json: {n: \"{label}\"}, yields: {id: /id}}}", "/rotate/mint/yields",
      .noKeyRead),
    Case(
      "delete", "rotate: {mint: {post: /k, json: {n: \"{label}\"}, yields: {key: /key}}}", "/rotate/mint/yields",
      .missingField("id")),
    Case("delete", "rotate: {mint: {\(mint), longestLabel: 20}}", "/rotate/mint/longestLabel", .wrongType(.number)),
    Case(
      "delete", "rotate: {mint: {\(mint), base: \"https://x.example\"}}", "/rotate/mint/base", .unknownField("base")),
    Case(
      "delete", "rotate: {mint: {\(mint), outcomes: [{status: 503, retry: 1, then: throttled}]}}",
      "/rotate/mint/outcomes/0", .mintRepeated),
    Case(
      "delete", "rotate: {mint: {post: /k, yields: {id: /id, key: /key}}, list: {get: /k, \(keys)}}", "/rotate/mint",
      .labelNotSent),
    Case(
      "delete", "rotate: {mint: {\(mint)}, list: {get: /k, entries: {each: \"\", id: /id}}}", "/rotate/list",
      .neverRead("label")),
    Case(
      "delete", "rotate: {mint: {\(mint)}, list: {get: /k, entries: {each: \"\", name: /name}}}",
      "/rotate/list/entries", .missingField("id")),
    Case(
      "delete", "rotate: {mint: {\(mint)}, list: {get: /k, \(keys), outcomes: [{status: 404, then: missing}]}}",
      "/rotate/list/outcomes/0", .missingWithoutEvidence),
    Case(
      "delete", "rotate: {mint: {\(mint)}, list: {get: /k, \(keys), pages: {count: rows, query: p}}}",
      "/rotate/list/pages/count", .notOneOf(["pages", "entries"])),
  ]

  @Test("each fault is found, with its place", arguments: cases)
  func fault(one: Case) throws {
    let lines = Self.sound.split(separator: "\n").map { $0.hasPrefix("\(one.field):") ? one.line : String($0) }
    let text = lines.joined(separator: "\n")
    let faults = Self.faults(text)
    #expect(faults.contains { $0.kind == one.kind && $0.path == one.path }, "\(faults)")
    // The line of the fault is the line that is wrong, where the fault has a line of its own.
    let isOne = lines.count { $0.hasPrefix(one.line.prefix { $0 != ":" }) } == 1
    if let fault = faults.first(where: { $0.kind == one.kind }), !one.path.isEmpty, isOne, !one.line.contains("\n") {
      #expect(lines[fault.line - 1] == one.line)
    }
  }

  @Test("a source that nothing names is a fault at its place")
  func unusedSource() {
    let sources = "\nsources:\n  docs: the docs, 2026\n  client: service 1.2\nrights: {read: All., source: client}"
    let faults = Self.faults(Self.sound + sources)
    #expect(faults.map(\.kind) == [.unusedSource("docs")] && faults.map(\.path) == ["/sources/docs"])
    #expect(faults.map(\.line) == [Self.sound.split(separator: "\n").count + 2])
    #expect(Self.faults(Self.sound + sources.replacing("source: client", with: "source: [docs, client]")) == [])
  }

  @Test("a JSON field is a whole value of a JSON body, and nothing else")
  func jsonFields() {
    for put in [
      "{put: \"/{zone}\"}", "{put: /x, query: {z: \"{zone}\"}}", "{put: /x, form: {z: \"{zone}\"}}",
      "{put: /x, json: {z: \"a {zone}\"}}", "{put: /x, json: {z: \"{zone|base64}\"}}",
      "{put: /x, headers: {z: \"{zone}\"}}",
    ] {
      let lines = Self.sound.replacing("zone: {type: label}", with: "zone: {type: json}").split(separator: "\n")
        .map { $0.hasPrefix("put:") ? "put: \(put)" : String($0) }
      #expect(Self.faults(lines.joined(separator: "\n")).map(\.kind).contains(.jsonBesideText("zone")), "\(put)")
    }
  }

  @Test("the sound description has no fault, and means what it says")
  func sound() throws {
    #expect(Self.faults(Self.sound) == [])
    let api = try SecretAPI.read(Array(Self.sound.utf8), name: "sound")
    #expect(api.connection.first?.isRequired == true && api.isDeletable && api.showsValues && api.showsMarks)
    #expect(api.names?.rule.fault(in: "lower") != nil && api.names?.rule.fault(in: "UPPER") == nil)
  }

  @Test("all faults are reported at once, in the order of the document's parts")
  func several() {
    let text = """
      connection: {token: {type: password}}
      base: "{addres}"
      list: {get: /x, entries: {each: "", name: /0}}
      unknown: 1
      """
    let kinds = Self.faults(text).map(\.kind)
    #expect(kinds.contains(.unknownField("unknown")) && kinds.contains(.missingField("summary")))
    #expect(kinds.contains(.notOneOf(SecretAPI.Field.Kind.allCases.map(\.rawValue))))
    #expect(kinds.contains(.unknownVariable("addres")) && kinds.contains(.pointerIndex) && kinds.contains(.host))
  }

  @Test("what is not a document has a fault with its place")
  func malformed() {
    #expect(Self.faults("a: [").map(\.path) == [""])
    #expect(Self.faults("").map(\.kind) == [.wrongType(.object)])
    #expect(Self.faults("[]").map(\.kind) == [.wrongType(.object)])
  }

  @Test("JSON is read like YAML")
  func json() throws {
    let text = """
      {"summary": "x", "connection": {"address": {"type": "url"}}, "base": "{address}",
       "readMany": {"post": "/x", "json": {"n": "{names}"}, "entries": {"each": "", "name": "@key", "value": ""}}}
      """
    #expect(try SecretAPI.read(Array(text.utf8), name: "json").readMany?.entries.first?.isObject == true)
  }

  @Test("checks and rotations of providers are read")
  func provider() throws {
    let text = """
      summary: OpenRouter
      connection: {managementKey: {type: secret}}
      base: https://openrouter.ai/api/v1
      auth: [{bearer: "{managementKey}"}]
      check:
        get: /key
        auth: {bearer: "{key}"}
        facts: {remaining: /data/limit_remaining}
        regions: [https://eu.openrouter.ai/api/v1]
        activation: 2h
        keys: "sk-or-v1-[0-9a-f]{64}"
        outcomes: [{status: 200, then: valid}, {status: 401, then: invalid}, {status: 402, then: noCredit}]
      rotate:
        mint: {post: /keys, json: {name: "{label}"}, yields: {id: /data/hash, key: /key}}
        list: {get: /keys, entries: {each: /data, id: /hash, name: /name}}
        disable: {patch: "/keys/{id}", json: {disabled: true}}
        revoke: {delete: "/keys/{id}", outcomes: [{status: 404, then: missing}]}
      """
    let api = try SecretAPI.read(Array(text.utf8), name: "openrouter")
    #expect(api.check?.request.outcomes.map(\.then) == [.valid, .invalid, .noCredit] && api.check?.facts.count == 1)
    #expect(api.check?.activation == Interval(seconds: 7200) && api.check?.regions.count == 1 && api.check?.keys != nil)
    guard case .request(let mint)? = api.rotate?.mint else {
      Issue.record("a person makes the keys")
      return
    }
    #expect(mint.values.map(\.name) == ["key"] && mint.isLabelled && mint.expires == nil && mint.longestLabel == nil)
    #expect(api.rotate?.disable != nil && api.rotate?.list?.name != nil && !api.isWritable)
  }

  private static func faults(_ text: String) -> [DescriptionFault] {
    do throws(DescriptionFaults) {
      _ = try SecretAPI.read(Array(text.utf8), name: "test")
      return []
    } catch {
      return error.all
    }
  }
}
