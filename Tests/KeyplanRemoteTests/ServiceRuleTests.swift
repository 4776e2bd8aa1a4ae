import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What is particular to one service: the rules that its vendor documents.
@Suite struct ServiceRuleTests {
  private static func sample(_ service: String, _ variant: String = "") throws -> ServiceSample {
    try #require(ServiceSample.all.first { $0.service == service && $0.variant == variant })
  }

  /// A run of a service of the fake with other fields of the connection.
  private static func run(
    _ fake: FakeService, fields: [String: FieldInput], place: [String: String]? = nil
  ) throws -> ServiceRun {
    let run = try fake.run()
    let connection = RemoteConnection(name: "other", fields: fields)
    return ServiceRun(
      service: run.service, pauses: run.pauses,
      place: RemotePlace(connection: connection, fields: place ?? fake.sample.place))
  }

  private static func secret(_ text: String) -> FieldInput { .secret(SecretBox(Array(text.utf8))) }

  @Test("GitHub: a new variable of an organization has a visibility, private by default, and others have none")
  func visibility() async throws {
    let organization = try FakeService(try Self.sample("github-variables", "organization"))
    #expect(try await organization.run().write(["A": "one"]) == ["A": .done])
    for visibility in ["all", "selected", "private"] {
      let fields = [
        "address": .text(organization.address), "token": Self.secret("good"), "visibility": .text(visibility),
      ]
      let run = try Self.run(organization, fields: fields)
      #expect(await run.write(["B_\(visibility)": "two"]).values.allSatisfy { $0 == .done })
    }
    let fields = [
      "address": FieldInput.text(organization.address), "token": Self.secret("good"), "visibility": .text("everybody"),
    ]
    let wrong = try Self.run(organization, fields: fields)
    #expect(await wrong.look("A") == [.failed(.unreadable)])
    // A repository's variable has none, whatever the connection says.
    let repository = try FakeService(try Self.sample("github-variables"))
    let run = try Self.run(
      repository,
      fields: ["address": .text(repository.address), "token": Self.secret("good"), "visibility": .text("all")])
    #expect(await run.write(["A": "one"]) == ["A": .done])
  }

  @Test(
    "Vercel: the names that its functions reserve are refused, and those of AWS's credentials are not",
    arguments: [
      ("AWS_ACCESS_KEY_ID", true), ("AWS_SECRET_ACCESS_KEY", true), ("AWS_SESSION_TOKEN", true), ("AWS_REGION", true),
      ("AWS_DEFAULT_REGION", true), ("AWS_SECRET_KEY", false), ("AWS_EXECUTION_ENV", false),
      ("AWS_LAMBDA_FUNCTION_NAME", false), ("AWS_LAMBDA_LOG_GROUP_NAME", false), ("NOW_REGION", false), ("TZ", false),
      ("tz", false), ("LAMBDA_TASK_ROOT", false), ("LAMBDA_RUNTIME_DIR", false), ("TZ_DATABASE_KEY", true),
      ("VERCEL_FORCE_NO_BUILD_CACHE", true), ("NOW_TOKEN", true), ("LAMBDA_KEY", true), ("A_TZ", true),
    ])
  func reserved(name: String, isFree: Bool) async throws {
    let fake = try FakeService(try Self.sample("vercel"))
    let rule = try #require(try BuiltInServices.api("vercel")?.names).rule
    #expect((rule.fault(in: name) == nil) == isFree)
    #expect(try await fake.run().write([name: "x"]) == [name: isFree ? .done : .refused(.unreadable)])
  }

  @Test("Fly.io: after a write the list is asked for that version, which not every server has at once")
  func version() async throws {
    let fake = try FakeService(try Self.sample("fly"))
    let run = try fake.run()
    #expect(await run.write(["A": "one"]) == ["A": .done])
    #expect(await run.write(["A": "two", "B": "three"]) == ["A": .done, "B": .done])
    let lists = try await fake.seen().filter { $0.method == "GET" }.map(\.path)
    #expect(lists.first == "/v1/apps/a/secrets")
    #expect(lists.dropFirst().allSatisfy { $0.hasPrefix("/v1/apps/a/secrets?version=") } && lists.count > 1)
    #expect(Set(lists).count > 2)
  }

  @Test(
    "1Password: the fields of a login are read like others, an empty one is missing, and one without a label is left out"
  )
  func purposes() async throws {
    let fake = try FakeService(try Self.sample("onepassword"))
    #expect(
      try await fake.run().read("username", "password", "notesPlain", "other") == [
        .value("u"), .value("p"), .missing, .missing,
      ])
    #expect(try await fake.run().write(["password": "new", "other": "x"]) == ["password": .done, "other": .done])
    #expect(try await fake.run().look("password", "other", "username") == [.value("new"), .value("x"), .value("u")])
    // An empty field is written, not added a second time.
    #expect(try await fake.run().write(["notesPlain": "note"]) == ["notesPlain": .done])
    #expect(try await fake.run().look("notesPlain") == [.value("note")])
  }

  @Test("Railway: a project's token has a header of its own, and an account's has not")
  func projectTokens() async throws {
    let fake = try FakeService(try Self.sample("railway"))
    let run = try Self.run(fake, fields: ["address": .text(fake.address), "projectToken": Self.secret("good")])
    #expect(await run.write(["A": "one"]) == ["A": .done])
    #expect(await run.look("A") == [.value("one")])
    let rejected = try Self.run(fake, fields: ["address": .text(fake.address), "projectToken": Self.secret("bad")])
    #expect(await rejected.look("A") == [.failed(.unauthenticated)])
    try await fake.fail(Fault(body: "{\"errors\":[{\"message\":\"Project Token not found\"}]}"))
    let removed = try Self.run(fake, fields: ["address": .text(fake.address), "projectToken": Self.secret("good")])
    #expect(await removed.look("A") == [.failed(.unauthenticated)])
    let api = try #require(try BuiltInServices.api("railway"))
    #expect(api.connection.first { $0.name == "projectToken" }?.environment == ["RAILWAY_TOKEN"])
    #expect(api.notices.map(\.occasion) == [.remove])
  }

  @Test("Infisical: the address may end with /api, as its own programs have it", arguments: ["", "/", "/api", "/api/"])
  func apiEnding(_ ending: String) async throws {
    let fake = try FakeService(try Self.sample("infisical"))
    let fields = ["address": FieldInput.text(fake.address + ending), "token": Self.secret("good")]
    #expect(try await Self.run(fake, fields: fields).write(["A": "one"]) == ["A": .done])
    #expect(try await fake.run().read("A") == [.value("one")])
  }

  @Test("Infisical: a source reads what the folder imports, below its own secrets, and a target sees its own alone")
  func imports() async throws {
    let fake = try FakeService(try Self.sample("infisical"))
    for (path, values) in [
      ("/shared", ["A": "shared", "B": "shared", "C": "shared"]), ("/more", ["B": "more", "C": "more"]),
      ("/x y", ["C": "own"]), ("/x y/below", ["D": "below"]),
    ] {
      #expect(try await fake.run(place: ["path": path]).write(values).values.allSatisfy { $0 == .done })
    }
    #expect(
      try await fake.run().read("A", "B", "C", "D") == [.value("shared"), .value("more"), .value("own"), .missing])
    #expect(try await fake.run().look("A", "B", "C") == [.missing, .missing, .value("own")])
    // It gets a secret of its own, and what it imports from stays.
    #expect(try await fake.run().write(["A": "own"], removing: ["C"]) == ["A": .done, "C": .done])
    #expect(try await fake.run().read("A", "C") == [.value("own"), .value("more")])
    #expect(try await fake.run(place: ["path": "/shared"]).look("A") == [.value("shared")])
  }

  @Test("Infisical: a write that waits for an approval is refused")
  func approvals() async throws {
    let fake = try FakeService(try Self.sample("infisical"))
    guard case .refused? = try await fake.run(place: ["path": "/guarded"]).write(["A": "one"])["A"] else {
      Issue.record("not refused")
      return
    }
  }

  @Test("Consul: without access control no token is needed, and an unknown token is told from a missing right")
  func anonymous() async throws {
    let fake = try FakeService(try Self.sample("consul"))
    let run = try Self.run(fake, fields: ["address": .text(fake.address)])
    #expect(await run.write(["A": "one"]) == ["A": .done])
    #expect(await run.look("A", "B") == [.value("one"), .missing])
    #expect(try await fake.run(token: "rejected").look("A") == [.failed(.unauthenticated)])
    #expect(try await fake.run(token: "limited").look("A") == [.failed(.denied)])
  }

  @Test("Consul: an address without a scheme is one of http, which is for this machine only")
  func hostAndPort() async throws {
    let fake = try FakeService(try Self.sample("consul"))
    let bare = String(fake.address.dropFirst("http://".count))
    let run = try Self.run(fake, fields: ["address": .text(bare)])
    #expect(await run.write(["A": "one"]) == ["A": .done])
    let api = try #require(try BuiltInServices.api("consul"))
    let field = try #require(api.connection.first { $0.name == "address" })
    for far in ["consul.example:8500", "http://consul.example:8500", "user@consul.example"] {
      #expect(throws: RemoteFailure.self, "\(far)") { try field.value(.text(far)) }
    }
    guard case .ready("https://consul.example:8501")? = try? field.value(.text("https://consul.example:8501/")) else {
      Issue.record("not an address")
      return
    }
    var other = field
    other.scheme = nil
    #expect(throws: RemoteFailure.self) { try other.value(.text(bare)) }
  }

  @Test("GitLab: a variable of all scopes is read in each, unless the scope has its own, and a target writes its own")
  func scopes() async throws {
    let fake = try FakeService(try Self.sample("gitlab"))
    let (all, prod) = (["scope": "*"], ["scope": "prod"])
    var values = ["A": "all", "B": "all"]
    // The fake's pages have seven entries: what all scopes have is not on the page of the scope's own.
    for number in 1...9 { values["N\(number)"] = "all" }
    #expect(try await fake.run(place: all).write(values).values.allSatisfy { $0 == .done })
    #expect(try await fake.run(place: prod).write(["B": "prod"]) == ["B": .done])
    #expect(try await fake.run(place: prod).read("A", "B", "C") == [.value("all"), .value("prod"), .missing])
    #expect(try await fake.run(place: all).read("A", "B") == [.value("all"), .value("all")])
    #expect(try await fake.run(place: prod).look("A", "B") == [.missing, .value("prod")])
    #expect(try await fake.run(place: prod).write(["A": "own"], removing: ["B"]) == ["A": .done, "B": .done])
    #expect(try await fake.run(place: prod).read("A", "B") == [.value("own"), .value("all")])
    #expect(try await fake.run(place: all).look("A", "B") == [.value("all"), .value("all")])
  }

  @Test("GitLab: a plan says that job logs show new variables, unless they are masked")
  func masking() throws {
    let notices = try #require(try BuiltInServices.api("gitlab")).notices
    #expect(notices.map(\.occasion) == [.create] && notices.map(\.fields) == [["masked": "false"]])
  }

  @Test(
    "Netlify: a secret has no scope that it cannot have, and a variable of another context is there, without a value")
  func contexts() async throws {
    let fake = try FakeService(try Self.sample("netlify"))
    #expect(try await fake.run(place: ["context": "deploy-preview"]).write(["A": "preview"]) == ["A": .done])
    #expect(try await fake.run().look("A") == [.missing])
    #expect(try await fake.run().write(["A": "production"], expecting: [:]) == ["A": .done])
    #expect(try await fake.run().look("A").first?.mark != nil)
    #expect(try await fake.run().write([:], removing: ["A"]) == ["A": .done])
    #expect(try await fake.run().look("A") == [.missing])
    #expect(try await fake.run(place: ["context": "deploy-preview"]).look("A").first?.mark != nil)
    // What has no value here is nothing to remove.
    #expect(try await fake.run().write([:], removing: ["A"]) == ["A": .done])
    #expect(try await fake.run(place: ["context": "deploy-preview"]).look("A").first?.mark != nil)
    for context in ["all", "dev", "my-branch"] {
      #expect(try await fake.run(place: ["context": context]).look("A") == [.failed(.unreadable)], "\(context)")
    }
  }
}
