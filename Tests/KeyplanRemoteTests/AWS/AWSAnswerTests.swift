import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What the answers of AWS's services mean, with a fake of the network.
@Suite("Answers of AWS") struct AWSAnswerTests {
  private static let reference = Reference(scheme: "awssm", location: "a", isLocal: false)
  private static let parameter = Reference(scheme: "awsps", location: "a", isLocal: false)

  private static func run(_ answers: FakeAnswers) -> AWSRun {
    var run = AWSRun()
    run.variables["AWS_ACCESS_KEY_ID"] = "ID"
    run.variables["AWS_SECRET_ACCESS_KEY"] = "s"
    run.send = answers.send
    run.now = { 1_795_435_200 }
    return run
  }

  private enum Shown: Equatable { case value(String), missing(String?), failed(AccessFailure.Kind, Bool) }

  private static func show(_ answer: SourceAnswer?) -> Shown? {
    switch answer {
    case nil: nil
    case .value(let secret): .value(secret.text)
    case .missing(let reason): .missing(reason)
    case .failed(let failure): .failed(failure.kind, failure.hint != nil)
    }
  }

  struct Case: Sendable {
    let code: String
    var message = ""
    var status = 400
    let kind: AccessFailure.Kind?
    var hasHint = false
  }

  @Test(
    "each code has its class, whatever the status: only a definite answer is a missing secret",
    arguments: [
      Case(code: "ResourceNotFoundException", kind: nil),
      Case(code: "ResourceNotFoundException", status: 404, kind: nil),
      Case(code: "com.amazonaws.ssm#ParameterNotFound:http://x", kind: nil),
      Case(code: "AccessDeniedException", kind: .denied, hasHint: true),
      Case(code: "AccessDeniedException", message: "Access to KMS is not allowed", kind: .denied, hasHint: true),
      Case(code: "DecryptionFailure", kind: .denied, hasHint: true),
      Case(code: "KMSInvalidStateException", kind: .denied, hasHint: true),
      Case(code: "UnrecognizedClientException", kind: .unauthenticated),
      Case(code: "InvalidSignatureException", kind: .unauthenticated),
      Case(code: "InvalidSignatureException", message: "Signature expired: x", kind: .unauthenticated),
      Case(code: "ExpiredTokenException", kind: .unauthenticated, hasHint: true),
      Case(code: "ThrottlingException", kind: .throttled), Case(code: "", status: 429, kind: .throttled),
      Case(code: "InternalServiceError", status: 500, kind: .unreachable),
      Case(code: "RequestTimeoutException", kind: .unreachable), Case(code: "RequestTimeout", kind: .unreachable),
      Case(code: "RequestAbortedException", kind: .unreachable),
      Case(code: "", status: 503, kind: .unreachable), Case(code: "InvalidRequestException", kind: .unreadable),
      Case(code: "ValidationException", kind: .unreadable), Case(code: "", status: 404, kind: .unreadable),
    ])
  func classes(_ example: Case) async throws {
    let body = #"{"__type":"\#(example.code)","message":"\#(example.message)"}"#
    let run = Self.run(FakeAnswers([("POST", example.status, example.code.isEmpty ? "<html>" : body)]))
    let expected: Shown = example.kind.map { .failed($0, example.hasHint) } ?? .missing(nil)
    #expect(await Self.show(try run.secretsManager().source?.read([Self.reference]).first) == expected)
    #expect(await Self.show(try run.parameterStore().source?.read([Self.parameter]).first) == expected)
    let isRetried = [.throttled, .unreachable].contains(example.kind)
    #expect(run.pauses.list.isEmpty != isRetried)
  }

  @Test("a secret that is scheduled for deletion is missing, and the reason says so")
  func deleted() async throws {
    let message = "You can't perform this operation on the secret because it was marked for deletion."
    let run = Self.run(
      FakeAnswers([("POST", 400, #"{"__type":"InvalidRequestException","Message":"\#(message)"}"#)]))
    #expect(
      await Self.show(try run.secretsManager().source?.read([Self.reference]).first)
        == .missing("The secret is scheduled for deletion."))
  }

  @Test("errors as the query protocol has them are understood too")
  func xml() async throws {
    let body = "<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>x</Message></Error></ErrorResponse>"
    let run = Self.run(FakeAnswers([("POST", 403, body)]))
    #expect(
      await Self.show(try run.secretsManager().source?.read([Self.reference]).first) == .failed(.unauthenticated, false)
    )
  }

  @Test("a clock that is wrong is named")
  func clock() async throws {
    var run = Self.run(FakeAnswers([]))
    run.send = { _ in
      // Twenty minutes later than the clock of the run.
      HTTPResponse(
        status: 400, headers: ["Date": "Mon, 23 Nov 2026 12:20:00 GMT"],
        body: SecretBox(Array(#"{"__type":"InvalidSignatureException"}"#.utf8)))
    }
    guard case .failed(let failure)? = await try run.secretsManager().source?.read([Self.reference]).first else {
      Issue.record("not failed")
      return
    }
    #expect(failure.kind == .unauthenticated && failure.hint == "Set this machine's clock.")
    #expect(failure.reason.hasSuffix("this machine's clock is 20 minutes behind."))
  }

  @Test("a requested pause is obeyed and reported, and one that is too long ends the waiting")
  func throttled() async throws {
    var run = Self.run(FakeAnswers([]))
    let count = Mutex(0)
    run.send = { _ in
      count.withLock { $0 += 1 }
      return HTTPResponse(
        status: 400, headers: ["Retry-After": "20"], body: SecretBox(Array(#"{"__type":"ThrottlingException"}"#.utf8)))
    }
    guard case .failed(let failure)? = await try run.secretsManager().source?.read([Self.reference]).first else {
      Issue.record("not failed")
      return
    }
    #expect(failure.kind == .throttled && failure.retryAfter == Interval(seconds: 20))
    #expect(run.pauses.list == [.seconds(20)] && count.withLock { $0 } == 2)
  }

  @Test("what an answer about many secrets leaves out is read alone")
  func incomplete() async throws {
    let template = #"{"Name":"%","ARN":"arn:%","VersionId":"v","SecretString":"value of %"}"#
    func value(_ name: String) -> String { template.replacing("%", with: name) }
    let errors = #"[{"SecretId":"b","ErrorCode":"ResourceNotFoundException","Message":""}]"#
    let answers = FakeAnswers([
      ("BatchGetSecretValue", 200, #"{"SecretValues":[\#(value("a"))],"Errors":\#(errors)}"#),
      (#""SecretId":"c""#, 200, value("c")),
    ])
    let source = try #require(try Self.run(answers).secretsManager().source)
    let references = ["a", "b", "c"].map { Reference(scheme: "awssm", location: $0, isLocal: false) }
    let shown = await source.read(references).map { Self.show($0) }
    #expect(shown == [.value("value of a"), .missing(nil), .value("value of c")])
    #expect(answers.seen.count == 2)
  }

  @Test("a binary secret is decoded, and one with a NUL byte cannot be a value")
  func binary() async throws {
    for (encoded, expected) in [("dmFsdWU=", Shown.value("value")), ("AA==", .failed(.unreadable, false))] {
      let body = #"{"Name":"a","ARN":"arn:a","VersionId":"v","SecretBinary":"\#(encoded)"}"#
      let run = Self.run(FakeAnswers([("GetSecretValue", 200, body)]))
      #expect(await Self.show(try run.secretsManager().source?.read([Self.reference]).first) == expected)
    }
  }

  @Test("one name that may not be read does not keep the others from being read")
  func denied() async throws {
    let answers = FakeAnswers([
      (#"["a","b"]"#, 400, #"{"__type":"AccessDeniedException"}"#),
      (#"["a"]"#, 200, #"{"Parameters":[{"Name":"a","Value":"value","Version":1,"Type":"SecureString"}]}"#),
      (#"["b"]"#, 400, #"{"__type":"AccessDeniedException"}"#),
    ])
    let source = try #require(try Self.run(answers).parameterStore().source)
    let references = ["a", "b"].map { Reference(scheme: "awsps", location: $0, isLocal: false) }
    #expect(await source.read(references).map { Self.show($0) } == [.value("value"), .failed(.denied, true)])
  }

  @Test("one name that may not be read does not hold back the others of a target")
  func deniedAtTarget() async throws {
    let body = #"{"Parameters":[{"Name":"/app/A","Value":"value","Version":1,"Type":"SecureString"}]}"#
    let answers = FakeAnswers([
      (#""/app/A","/app/B""#, 400, #"{"__type":"AccessDeniedException"}"#),
      (#""/app/B","/app/A""#, 400, #"{"__type":"AccessDeniedException"}"#),
      (#"["/app/A"]"#, 200, body), (#"["/app/B"]"#, 400, #"{"__type":"AccessDeniedException"}"#),
    ])
    let target = try #require(try Self.run(answers).parameterStore().target)
    let place = Destination(type: "awsps", location: "app")
    guard case .values(let values) = await target.read(["A", "B"], at: place),
      case .text(let value)? = values["A"], case .failed(let failure)? = values["B"]
    else {
      Issue.record("one name is not read, or the other is")
      return
    }
    #expect(value.text == "value" && failure.kind == .denied && values.count == 2)
    guard case .failed = await target.read(["B"], at: place) else {
      Issue.record("what all names have in common is not of the place")
      return
    }
  }

  @Test("a write that is refused says what helps, where that is known")
  func refused() async throws {
    for (code, size, reason, hint) in [
      ("ValidationException", 5000, "A parameter of the standard tier has at most 4 KiB.", true),
      (
        "ValidationException", 5, "ssm.eu-central-1.amazonaws.com does not accept the name, the value or the key.",
        false
      ),
      (
        "ParameterPatternMismatchException", 5,
        "ssm.eu-central-1.amazonaws.com does not accept the name, the value or the key.", false
      ),
      ("ParameterLimitExceeded", 5, "The account has reached a quota of ssm.eu-central-1.amazonaws.com.", true),
      ("AccessDeniedException", 5, "ssm.eu-central-1.amazonaws.com denied access (HTTP 400).", true),
    ] {
      let answers = FakeAnswers([
        ("GetParameters", 200, #"{"Parameters":[],"InvalidParameters":["/app/A"]}"#),
        ("PutParameter", 400, #"{"__type":"\#(code)"}"#),
      ])
      let target = try #require(try Self.run(answers).parameterStore().target)
      let value = SecretBox([UInt8](repeating: 0x61, count: size))
      let place = Destination(type: "awsps", location: "app")
      let results = try await target.write(TargetChanges(set: [("A", value)], remove: []), at: place)
      guard case .refused(let failure)? = results["A"] else {
        Issue.record("\(code): \(results)")
        continue
      }
      #expect(failure.reason == reason && (failure.hint != nil) == hint)
    }
  }

  @Test("a value that the service cannot hold is not sent", arguments: ["secret app", "prefix app"])
  func tooLarge(place: String) async throws {
    let answers = FakeAnswers([("GetSecretValue", 400, #"{"__type":"ResourceNotFoundException"}"#)])
    let target = try #require(try Self.run(answers).secretsManager().target)
    let values: [[UInt8]] = [[UInt8](repeating: 0x61, count: 65_537), [0x61, 0], [0xFF]]
    for value in values {
      let results = try await target.write(
        TargetChanges(set: [("A", SecretBox(value))], remove: []), at: Destination(type: "awssm", location: place))
      guard case .refused? = results["A"] else {
        Issue.record("\(results)")
        continue
      }
    }
    #expect(answers.seen.allSatisfy { $0.headers["x-amz-target"] == "secretsmanager.GetSecretValue" })
  }

  @Test("an expired session token is replaced once")
  func renewed() async throws {
    let answers = FakeAnswers([
      ("AssumeRole", 200, Self.assumed), ("GetCallerIdentity", 200, Self.assumed),
      ("POST", 400, #"{"__type":"ExpiredTokenException"}"#),
    ])
    let run = Self.run(answers)
    let role = Connection.Value.text("arn:aws:iam::123456789012:role/r")
    let source = try #require(try run.secretsManager(["role": role]).source)
    #expect(await Self.show(source.read([Self.reference]).first) == .failed(.unauthenticated, true))
    #expect(answers.seen.map { $0.address.contains("sts") } == [true, false, true, false])
    // Two readers at once sign in once.
    let again = try run.secretsManager(["role": role])
    let before = answers.seen.count
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = await again.signedInAs() } }
    }
    #expect(answers.seen.dropFirst(before).count { $0.body.contains("Action=AssumeRole") } == 1)
  }

  private static let assumed = """
    <Credentials><AccessKeyId>R</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>\
    <Expiration>2027-01-01T00:00:00Z</Expiration></Credentials><Arn>arn:aws:sts::1:assumed-role/r/keyplan</Arn>
    """

  @Test(
    "where the service is follows from the region, and no other text becomes a part of the host",
    arguments: [
      ("eu-central-1", nil, "https://secretsmanager.eu-central-1.amazonaws.com/"),
      ("us-gov-west-1", nil, "https://secretsmanager.us-gov-west-1.amazonaws.com/"), ("cn-north-1", nil, nil),
      (
        "cn-north-1", "https://secretsmanager.cn-north-1.amazonaws.com.cn",
        "https://secretsmanager.cn-north-1.amazonaws.com.cn/"
      ),
      ("x", "http://127.0.0.1:4566/", "http://127.0.0.1:4566/"), ("x", "http://10.0.0.1", nil),
      ("x", "https://a.example/path", nil), ("evil.example/", nil, nil), ("a.b", nil, nil), ("-a", nil, nil),
    ] as [(String, String?, String?)])
  func endpoints(_ region: String, _ override: String?, _ address: String?) async throws {
    let answers = FakeAnswers([])
    var run = Self.run(answers)
    run.variables["AWS_REGION"] = region
    run.variables["AWS_ENDPOINT_URL"] = override
    let source = try #require(try run.secretsManager().source)
    guard case .failed(let failure)? = await source.read([Self.reference]).first else {
      Issue.record("not failed")
      return
    }
    #expect(failure.kind == .unreadable)
    #expect(answers.seen.first?.address == address, "\(failure.reason)")
  }

  @Test("the description names every host that gets a credential")
  func hosts() throws {
    let connection = try Connection(
      #require(Identifier("prod")), to: SecretsManagerBackend.backend, ["region": .text("eu-west-1")])
    #expect(
      connection.hosts.map(\.text) == ["secretsmanager.eu-west-1.amazonaws.com", "sts.eu-west-1.amazonaws.com"])
    // A pattern that is not valid would accept anything.
    for backend in [SecretsManagerBackend.backend, ParameterStoreBackend.backend] {
      guard case .place(_, let pattern?)? = backend.reference?.location else {
        Issue.record("no pattern")
        continue
      }
      #expect(pattern.matches(Array("arn:aws:ssm:eu-west-1:123456789012:parameter/a.b-c_d".utf8)))
      #expect(!pattern.matches(Array("a b".utf8)))
      let role = try #require(backend.connection?.fields.first { $0.name == "role" }?.pattern)
      #expect(role.matches(Array("arn:aws-us-gov:iam::123456789012:role/path/to@a,b".utf8)))
      #expect(!role.matches(Array("arn:aws:iam::123456789012:user/a".utf8)))
    }
    #expect(ParameterStoreBackend.backend.target?.names != NameRule(.variable))
    #expect(RemoteBackends.description("awsps") == ParameterStoreBackend.backend)
    #expect(RemoteBackends.names.contains("awssm"))
  }
}
