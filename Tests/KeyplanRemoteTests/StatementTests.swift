import CServices
import KeyplanModel
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Each description says where its statements come from: `source` names documents of `sources`.
@Suite struct StatementTests {
  /// A built-in description.
  struct Description: Sendable, CustomTestStringConvertible {
    /// `service gitlab`, `check openai`, `keys openai`.
    let testDescription: String
    let read: @Sendable () throws -> SecretAPI?

    static let all: [Description] =
      BuiltInServices.names.map { name in Description("service \(name)") { try BuiltInServices.api(name) } }
      + BuiltInProviders.names.map { name in Description("check \(name)") { try BuiltInProviders.api(name) } }
      + BuiltInIssuers.names.map { name in Description("keys \(name)") { try BuiltInIssuers.api(name) } }

    private init(_ text: String, read: @escaping @Sendable () throws -> SecretAPI?) {
      (testDescription, self.read) = (text, read)
    }
  }

  @Test("every statement of a description that is not a preview names a document", arguments: Description.all)
  func sourced(description: Description) throws {
    let api = try #require(try description.read())
    #expect(!api.sources.isEmpty && !api.statements.isEmpty)
    let open = api.statements.filter(\.sources.isEmpty).map(\.place)
    #expect(api.isPreview || open.isEmpty, "\(open)")
  }

  @Test("every request and every meaning of an answer is a statement", arguments: Description.all)
  func complete(description: Description) throws {
    let api = try #require(try description.read())
    var requests = api.requests
    if let check = api.check { requests.append(Named("check", check.request)) }
    if let rotate = api.rotate {
      if case .request(let mint) = rotate.mint { requests.append(Named("rotate/mint", mint.request)) }
      if let list = rotate.list { requests.append(Named("rotate/list", list.read.request)) }
      if let disable = rotate.disable { requests.append(Named("rotate/disable", disable)) }
      if let revoke = rotate.revoke { requests.append(Named("rotate/revoke", revoke)) }
    }
    let stated = api.statements.filter { $0.subject == .request }.map(\.place)
    #expect(stated.sorted() == requests.map(\.name).sorted())
    let rules = api.outcomes.count + requests.reduce(0) { $0 + $1.value.outcomes.count }
    #expect(api.statements.count { $0.subject == .outcome } == rules)
    #expect(api.statements.count { $0.subject == .names } == (api.names == nil ? 0 : 1))
    #expect(api.statements.count { $0.subject == .rights } == (api.rights == nil ? 0 : 1))
    #expect(api.statements.count { $0.subject == .notice } == api.notices.count)
    #expect(Set(api.statements.map(\.place)).count == api.statements.count)
  }

  @Test("every document has a version or a date, and a text for a cell of a table", arguments: Description.all)
  func documents(description: Description) throws {
    let sources = try #require(try description.read()).sources
    #expect(Set(sources.map(\.value)).count == sources.count)
    for document in sources {
      #expect(document.name.wholeMatch(of: /[a-z][a-z0-9]*/) != nil, "\(document.name)")
      #expect(document.value.contains(/\d/) && document.value.count > 8, "\(document.value)")
      #expect(!document.value.contains { "|\n<>".contains($0) }, "\(document.value)")
    }
  }

  /// The backends with code of their own.
  private static let own = RemoteBackends.names.filter {
    !BuiltInServices.names.contains($0) && !BuiltInIssuers.backendNames.contains($0)
  }

  @Test("every backend with code of its own says where its statements come from", arguments: own)
  func ownDocuments(name: String) throws {
    let backend = try #require(RemoteBackends.description(name))
    let documents = RemoteBackends.citations(name)
    #expect(!documents.isEmpty && Set(documents.map(\.name)).count == documents.count)
    for document in documents {
      #expect(document.name.contains(/\d/) && document.name.count > 8 && !document.subjects.isEmpty, "\(document.name)")
      #expect(!document.name.contains { "|\n<>".contains($0) }, "\(document.name)")
    }
    guard !backend.isPreview else { return }
    let subjects = Set(documents.flatMap(\.subjects))
    #expect(subjects.isSuperset(of: [.request, .answer, .outcome]))
    guard let target = backend.target else { return }
    #expect(subjects.contains(.names))
    if target.limits.valueBytes != nil || target.limits.names != nil { #expect(subjects.contains(.limits)) }
  }

  @Test("every format of keys names a document with a date")
  func formats() throws {
    var named: [String] = []
    for row in (0...).lazy.map({ keyplan_provider_at($0)?.pointee }).prefix(while: { $0 != nil }) {
      guard let row, row.format != nil || row.prefixes != nil else { continue }
      named.append(String(cString: row.description.name))
    }
    let sources = BuiltInProviders.formatSources
    #expect(sources.map(\.name) == named && named.count > 10)
    for source in sources {
      #expect(source.value.contains(/20\d\d/) && !source.value.contains { "|\n<>".contains($0) }, "\(source.value)")
    }
  }

  private static let text = """
    summary: A service
    sources: {docs: "service.example, read 2026-11-28", client: service 1.2 (PyPI), lists: "lists, 2026"}
    connection: {token: {type: secret}}
    base: https://service.example
    auth:
      - login: [{base: "https://service.example", post: /in, yields: {session: /t}, source: client}]
        bearer: "{session}"
    names: {pattern: "[A-Z]{1,9}", source: docs}
    limits: {value: 65536}
    pace: {concurrency: 2, source: docs}
    takesEffect: restart
    effectSource: docs
    rights: {write: All., source: docs}
    notices: [{step: create, say: words, source: docs}]
    list:
      get: /list
      entries: [{each: "", name: /name, value: /value, source: lists}]
      source: client
    put: {put: "/{name}", raw: "{value}", source: client}
    delete:
      delete: "/{name}"
      source: client
      outcomes: [{status: 404, then: missing, source: [client, docs]}, {status: 410, then: missing}]
    """

  @Test("a statement has its place, its subject and the ids that it names; one without a source has none")
  func statements() throws {
    let api = try SecretAPI.read(Array(Self.text.utf8), name: "acme")
    let found = Dictionary(uniqueKeysWithValues: api.statements.map { ($0.place, $0) })
    let expected: [SecretAPI.Statement] = [
      .init("auth/0/login/0", .request, sources: ["client"]), .init("names", .names, sources: ["docs"]),
      .init("limits", .limits, sources: []), .init("pace", .pace, sources: ["docs"]),
      .init("takesEffect", .effect, sources: ["docs"]), .init("rights", .rights, sources: ["docs"]),
      .init("notices/0", .notice, sources: ["docs"]), .init("list", .request, sources: ["client"]),
      .init("list/entries/0", .answer, sources: ["lists"]), .init("put", .request, sources: ["client"]),
      .init("delete", .request, sources: ["client"]),
      .init("delete/outcomes/0", .outcome, sources: ["client", "docs"]),
      .init("delete/outcomes/1", .outcome, sources: []),
    ]
    #expect(found == Dictionary(uniqueKeysWithValues: expected.map { ($0.place, $0) }))
  }

  @Test("a document is cited for the subjects of the statements that name it")
  func citations() throws {
    let api = try SecretAPI.read(Array(Self.text.utf8), name: "acme")
    #expect(
      api.citations == [
        CitedDocument(
          "service.example, read 2026-11-28", of: [.outcome, .names, .pace, .rights, .effect, .notice]),
        CitedDocument("service 1.2 (PyPI)", of: [.request, .answer, .outcome]),
        CitedDocument("lists, 2026", of: [.answer]),
      ])
    #expect(api.citations[0].subjects == [.outcome, .names, .pace, .rights, .effect, .notice])
    // The one request whose answer has no source of its own.
    let lines = Self.text.split(separator: "\n").filter { line in
      !["put:", "delete:", "  delete:", "  outcomes:"].contains { line.hasPrefix($0) } && !line.contains("- login")
    }
    let listed = lines.joined(separator: "\n").replacing("    bearer: \"{session}\"", with: "  - {bearer: \"{token}\"}")
      .replacing("  source: client\n  source: client", with: "  source: client")
    let alone = try SecretAPI.read(Array(listed.utf8), name: "acme")
    #expect(alone.citations[1].subjects == [.request])
  }

  @Test("a check is a preview if its description says so, and not at the address of a manifest's own description")
  func previews() throws {
    let text = """
      summary: Acme
      preview: true
      base: https://acme.example
      check: {get: /me, auth: {bearer: "{key}"}, outcomes: [{status: 200, then: valid}]}
      """
    let api = try SecretAPI.read(Array(text.utf8), name: "acme")
    #expect(try #require(try KeyChecker(api, at: nil, through: FakeProviders.transport())).isPreview)
    let previews = try BuiltInProviders.names.filter { try #require(try BuiltInProviders.api($0)).isPreview }
    let registry = CheckRegistry()
    #expect(!previews.isEmpty && BuiltInProviders.names.filter(registry.isPreview) == previews)
    #expect(!registry.isPreview("generic"))
  }
}
