import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite struct KeyCheckerTests {
  @Test("each documented answer of a provider means what the table says", arguments: ListedAnswer.all)
  func documented(_ listed: ListedAnswer) async throws {
    let answer = try await check(listed)
    #expect(answer.outcome == listed.outcome, "\(answer.reason)")
    #expect(!answer.reason.isEmpty)
    #expect(listed.source.count > 8)
    if let facts = listed.facts {
      #expect(answer.facts.expires?.description == facts.expires)
      #expect(answer.facts.account == facts.account && answer.facts.remaining == facts.remaining)
      #expect(answer.facts.scopes == facts.scopes ?? [])
    }
  }

  @Test("every provider with a check has a table with a valid, an invalid and an unclear answer")
  func complete() throws {
    #expect(Set(ListedAnswer.table.keys) == Set(BuiltInProviders.names))
    for (provider, answers) in Dictionary(grouping: ListedAnswer.all, by: \.provider) {
      let outcomes = Set(answers.compactMap(\.outcome))
      #expect(outcomes.contains(.valid) && outcomes.contains { !$0.isVerdict }, "\(provider)")
      // Nothing proves it there.
      #expect(outcomes.contains(.invalid) || provider == "alphavantage", "\(provider)")
      let rules = try #require(try BuiltInProviders.api(provider)?.check).request.outcomes
      #expect(Set(rules.map(\.then.rawValue)).isSubset(of: outcomes.map(\.rawValue)), "\(provider)")
    }
  }

  @Test("each built-in description of a provider is read without a fault", arguments: BuiltInProviders.names)
  func faultless(name: String) throws {
    do {
      let api = try #require(try BuiltInProviders.api(name))
      #expect(api.check != nil && !api.summary.isEmpty && api.auth.isEmpty)
      #expect(api.connection.map(\.name) == ["address"] && api.connection[0].kind == .url)
    } catch let faults as DescriptionFaults {
      for fault in faults.all { Issue.record("\(name) \(fault.line):\(fault.column) \(fault.path): \(fault.kind)") }
    }
  }

  @Test("the names of providers are sorted, and others have no check")
  func names() throws {
    #expect(BuiltInProviders.names == BuiltInProviders.names.sorted() && BuiltInProviders.names.count == 28)
    #expect(try BuiltInProviders.api("generic") == nil && BuiltInProviders.api("rapidapi") == nil)
  }

  @Test("only a key in a query is in the address, and only where the provider takes no header")
  func addresses() throws {
    let inQuery = try BuiltInProviders.names.filter { name in
      if case .query = try #require(try BuiltInProviders.api(name)?.check).auth { true } else { false }
    }
    #expect(inQuery == ["alphavantage", "openweathermap"])
  }

  @Test("a key is invalid only if every region says so")
  func regions() async throws {
    let table = try #require(ListedAnswer.table["dashscope"])
    let number = Dictionary(grouping: table.answers.indices) { table.answers[$0].outcome }.compactMapValues(\.first)
    func outcome(_ answers: String...) async throws -> (CheckOutcome, hosts: Int) {
      let fake = try FakeProviders.shared.get()
      var api = try #require(try BuiltInProviders.api("dashscope"))
      let addresses = try answers.map { fake.address("dashscope", try #require(number[$0])) }
      api.connection[0].initial = addresses[0]
      api.check?.regions = try addresses.dropFirst().map { try Template($0) }
      let checker = try #require(try KeyChecker(api, at: nil, through: FakeProviders.transport()))
      let answer = await checker.check(secret(table.request.key), issued: Moment(seconds: 0))
      return (answer.outcome, checker.hosts.count)
    }
    #expect(try await outcome("invalid", "invalid", "valid").0 == .valid)
    #expect(try await outcome("invalid", "noCredit", "invalid").0 == .noCredit)
    #expect(try await outcome("invalid", "invalid", "invalid") == (.invalid, 3))
    #expect(try await outcome("invalid", "unknown", "invalid").0 == .unknown)
    #expect(try await outcome("throttled", "invalid").0 == .throttled)
    #expect(try await outcome("unknown", "valid").0 == .valid)
  }

  @Test("another address replaces those of all regions")
  func otherAddress() throws {
    let api = try #require(try BuiltInProviders.api("dashscope"))
    let own = try #require(try KeyChecker(api, at: nil, through: FakeProviders.transport()))
    #expect(
      own.hosts == [
        "dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com",
        "cn-hongkong.dashscope.aliyuncs.com",
      ])
    let other = try KeyChecker(api, at: "https://gateway.example:8443/qwen", through: FakeProviders.transport())
    #expect(try #require(other).hosts == ["gateway.example:8443"])
  }

  @Test("an address that is missing or not https is refused before anything is sent")
  func invalidAddress() throws {
    let azure = try #require(try BuiltInProviders.api("azure-openai"))
    #expect(throws: CheckAnswer.self) { try KeyChecker(azure, at: nil, through: Self.silent) }
    let openai = try #require(try BuiltInProviders.api("openai"))
    for address in ["http://example.com", "ftp://x", "https://a/../b", ""] {
      #expect(throws: CheckAnswer.self) { try KeyChecker(openai, at: address, through: Self.silent) }
    }
  }

  @Test("a key of another form than the check is for, and one that no header can carry, are not sent")
  func otherKeys() async throws {
    for (provider, key) in [
      ("anthropic", "sk-ant-admin01-made-up-for-the-tests"), ("dashscope", "sk-sp-madeupforthetests"),
      ("openai", "two\nlines"), ("openai", " padded"), ("openai", ""),
    ] {
      let api = try #require(try BuiltInProviders.api(provider))
      let checker = try #require(try KeyChecker(api, at: nil, through: Self.silent))
      #expect(await checker.check(secret(key), issued: Moment(seconds: 0)).outcome == .unknown, "\(provider)")
    }
  }

  @Test(
    "a service that cannot be reached says nothing about the key, and one request is sent",
    arguments: [
      HTTPError(.unresolved, at: "example.com"), HTTPError(.timedOut(.seconds(5)), at: "example.com"),
    ])
  func unreachable(_ error: HTTPError) async throws {
    let count = Mutex(0)
    var transport = Self.silent
    transport.send = { _ throws(HTTPError) in
      count.withLock { $0 += 1 }
      throw error
    }
    let api = try #require(try BuiltInProviders.api("openai"))
    let checker = try #require(try KeyChecker(api, at: nil, through: transport))
    let answer = await checker.check(secret("sk-made-up"), issued: Moment(seconds: 0))
    #expect(answer.outcome == .unknown && answer.isUnreachable && count.withLock { $0 } == 1)
  }

  @Test("hostile answers are no verdict", arguments: HostileServer.Deed.allCases)
  func hostile(_ deed: HostileServer.Deed) async throws {
    let server = try HostileServer.shared.get()
    for provider in ["openai", "openweathermap", "deepseek"] {
      let api = try #require(try BuiltInProviders.api(provider))
      let sent = HostileServer.Sent()
      let checker = try #require(
        try KeyChecker(api, at: nil, through: try server.transport(HTTPSettings(), deed, sent)))
      let key = try #require(ListedAnswer.table[provider]).request.key
      let answer = await checker.check(secret(key), issued: Moment(seconds: 0))
      #expect(!answer.outcome.isVerdict, "\(provider): \(answer.reason)")
      #expect(!answer.reason.contains(key) && sent.count == 1)
    }
    #expect(try await server.trapped().isEmpty)
  }

  @Test("of an answer only what is short, printable and not a part of the key is shown")
  func shownFacts() async throws {
    let key = "sk-or-v1-secretsecret"
    func facts(_ account: String) throws -> CheckFacts {
      let text = #"{"account": \#(account), "scopes": "read write", "left": 12.5, "ends": 1900000000}"#
      let answer = try #require(JSONAnswer(SecretBox(Array(text.utf8))))
      let paths = [("account", "/account"), ("scopes", "/scopes"), ("remaining", "/left"), ("expires", "/ends")]
      let extracts = try paths.map { name, path in
        Named(name, SecretAPI.Fact.body(Extract(.pointer(try AnswerPointer(path)))))
      }
      let response = HTTPResponse(status: 200, headers: ["x-account": account], body: SecretBox([]))
      let shown = CheckFacts(extracts, in: answer, of: response, concealing: secret(key), Bindings())
      // A header is shown under the same conditions.
      let header = CheckFacts(
        [Named("account", .header("x-account"))], in: answer, of: response, concealing: secret(key), Bindings())
      #expect(header.account == nil || !account.contains("secret"))
      return shown
    }
    #expect(try facts(#""ada""#).account == "ada")
    for hidden in [
      #""sk-or-v1-secretsecret""#, #""sk-or-...secret""#, "\"\\u001b[31m\"", "\"\\n\"", "\"\"", "null", "{}",
      "\"\(String(repeating: "a", count: 101))\"",
    ] { #expect(try facts(hidden).account == nil, "\(hidden)") }
    let all = try facts(#""x""#)
    #expect(
      all.scopes == ["read", "write"] && all.remaining == "12.5" && all.expires == Moment(seconds: 1_900_000_000))
  }

  private func check(_ listed: ListedAnswer) async throws -> CheckAnswer {
    let api = try #require(try BuiltInProviders.api(listed.provider))
    let address = try FakeProviders.shared.get().address(listed.provider, listed.number)
    let transport = FakeProviders.transport()
    let checker = try #require(try KeyChecker(api, at: address, through: transport))
    return await checker.check(
      secret(listed.key), issued: Moment(seconds: transport.now() - listed.age.seconds))
  }

  private func secret(_ text: String) -> SecretBox { SecretBox(Array(text.utf8)) }

  /// Fails the test if anything is sent.
  private static var silent: RemoteTransport {
    var transport = FakeProviders.transport()
    transport.send = { request throws(HTTPError) in
      Issue.record("sent to \(request.address.host)")
      throw HTTPError(.unresolved)
    }
    return transport
  }
}
