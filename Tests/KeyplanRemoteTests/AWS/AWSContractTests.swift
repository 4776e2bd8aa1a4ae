import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// Against two implementations that are not ours, and check every signature and every right.
@Suite(
  "AWS's services, as moto and MiniStack have them",
  .enabled(if: AWSPeer.python != nil, "SKIPPED: run scripts/setup-aws.sh, which installs moto and MiniStack"))
struct AWSContractTests: AWSPeerSuite {
  @Test("Secrets Manager is a source like any other", arguments: AWSPeer.Kind.allCases, [AWSPeer.User.admin, .reader])
  func secrets(peer: AWSPeer.Kind, user: AWSPeer.User) async throws {
    let prefix = Self.fresh()
    let admin = try #require(try AWSPeer.run(peer).secretsManager().target)
    try await write(
      [
        "a": "value 1", "b": "value 2", "json": #"{"x": "value 3", "n": 5, "t": true, "o": {}, "none": null}"#,
        "gone": "x",
      ], admin,
      at: "prefix \(prefix)")
    let removal = try await admin.write(
      TargetChanges(set: [], remove: ["gone"]), at: Destination(type: "aws", location: "prefix \(prefix)"))
    #expect(removal == ["gone": .done()])

    let source = try #require(try AWSPeer.run(peer, as: user).secretsManager().source)
    let contract = SourceContract(
      source,
      present: [
        (Self.reference("\(prefix)/a"), "value 1"), (Self.reference("\(prefix)/b"), "value 2"),
        (Self.reference("\(prefix)/json", field: "x"), "value 3"), (Self.reference("\(prefix)/json", field: "n"), "5"),
        (Self.reference("\(prefix)/json", field: "t"), "true"), (Self.reference("\(prefix)/a:AWSCURRENT"), "value 1"),
      ],
      missing: [
        Self.reference("\(prefix)/c"), Self.reference("\(prefix)/gone"),
        Self.reference("\(prefix)/json", field: "none"), Self.reference("\(prefix)/json", field: "other"),
      ],
      unreadable: [
        Self.reference("\(prefix)/json", field: "o"), Self.reference("\(prefix)/a", field: "x"),
        Self.reference("a:b:c"),
        Self.reference("arn:aws:secretsmanager:us-east-1:123456789012:secret:x-AbCdEf"),
      ])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("Parameter Store is a source like any other", arguments: AWSPeer.Kind.allCases, [AWSPeer.User.admin, .reader])
  func parameters(peer: AWSPeer.Kind, user: AWSPeer.User) async throws {
    let path = Self.fresh()
    let admin = try #require(try AWSPeer.run(peer).parameterStore().target)
    try await write(["a": "value 0"], admin, at: path)
    try await write(["a": "value 1", "b": "value 2", "json": #"{"x": "value 3"}"#], admin, at: path)
    let many = Dictionary(uniqueKeysWithValues: (0..<25).map { ("m\($0)", "many \($0)") })
    try await write(many, admin, at: path)

    let source = try #require(try AWSPeer.run(peer, as: user).parameterStore().source)
    let contract = SourceContract(
      source,
      present: [
        (Self.reference("\(path)/a"), "value 1"), (Self.reference("/\(path)/b"), "value 2"),
        (Self.reference("\(path)/a:1"), "value 0"), (Self.reference("\(path)/json", field: "x"), "value 3"),
      ] + many.map { (Self.reference("\(path)/\($0.key)"), $0.value) },
      missing: [Self.reference("\(path)/c"), Self.reference("\(path)/a:7"), Self.reference("nowhere")],
      unreadable: [Self.reference("a:b:c"), Self.reference("arn:aws:ssm:us-east-1:123456789012:parameter/x")])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("the members of a secret's JSON object are a target like any other", arguments: AWSPeer.Kind.allCases)
  func object(peer: AWSPeer.Kind) async throws {
    let name = Self.fresh()
    let run = try AWSPeer.run(peer)
    try await write(["text": "not an object"], try #require(try run.secretsManager().target), at: "prefix \(name)")
    let contract = TargetContract(
      try #require(try run.secretsManager().target), at: Destination(type: "awssm", location: "secret \(name)/app"),
      unusable: Destination(type: "awssm", location: "secret \(name)/text"))
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("secrets below a prefix are a target like any other", arguments: AWSPeer.Kind.allCases)
  func named(peer: AWSPeer.Kind) async throws {
    let contract = TargetContract(
      try #require(try AWSPeer.run(peer).secretsManager().target),
      at: Destination(type: "awssm", location: "prefix \(Self.fresh())"),
      unusable: Destination(type: "awssm", location: "prefix \"not a name\""), takesEmpty: false)
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("parameters below a path are a target like any other", arguments: AWSPeer.Kind.allCases)
  func path(peer: AWSPeer.Kind) async throws {
    let contract = TargetContract(
      try #require(try AWSPeer.run(peer).parameterStore(["tier": .text("Intelligent-Tiering")]).target),
      at: Destination(type: "awsps", location: Self.fresh()),
      unusable: Destination(type: "awsps", location: "\"not a path\""), takesEmpty: false)
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test(
    "a wrong key, a lacking right and an unreachable service are not missing secrets", arguments: AWSPeer.Kind.allCases)
  func failures(peer: AWSPeer.Kind) async throws {
    let known = try AWSPeer.known(peer)
    let cases: [(AWSRun, AccessFailure.Kind)] = [
      (AWSPeer.run(known, [known.admin[0], "wrong"]), .unauthenticated),
      (AWSPeer.run(known, ["AKIAWRONG", known.admin[1]]), .unauthenticated),
      (try AWSPeer.run(peer, as: .stranger), .denied),
    ]
    for (run, kind) in cases {
      for backend in [try run.secretsManager(), try run.parameterStore()] {
        let answers = await backend.source?.read(["a", "b", "c"].map { Self.reference($0) }) ?? []
        #expect(answers.count == 3)
        for answer in answers {
          guard case .failed(let failure) = answer else {
            Issue.record("\(answer)")
            continue
          }
          #expect(failure.kind == kind, "\(failure.reason)")
        }
      }
    }
    var run = try AWSPeer.run(peer)
    run.variables["AWS_ENDPOINT_URL"] = "http://127.0.0.1:9"
    guard case .failed(let failure)? = await try run.secretsManager().source?.read([Self.reference("a")]).first else {
      Issue.record("an answer from nowhere")
      return
    }
    #expect(failure.kind == .unreachable)
    #expect(run.pauses.list.count == 4)
  }

  @Test("a connection says who it is signed in as, also as a role", arguments: AWSPeer.Kind.allCases)
  func identity(peer: AWSPeer.Kind) async throws {
    let known = try AWSPeer.known(peer)
    let run = try AWSPeer.run(peer)
    let variables = "environment variables"
    let admin = "arn:aws:iam::\(known.account):user/admin"
    #expect(await try run.secretsManager().signedInAs() == .found(owner: admin, step: variables))
    let role = try run.parameterStore(["role": .text(known.role)])
    let deploy = "arn:aws:sts::\(known.account):assumed-role/deploy/keyplan"
    #expect(await role.signedInAs() == .found(owner: deploy, step: variables))
    let path = Self.fresh()
    try await write(["a": "one"], try #require(role.target), at: path)

    var profile = AWSRun()
    profile.variables["AWS_ENDPOINT_URL"] = known.address
    profile.files["\(AWSRun.home)/.aws/config"] = """
      [profile ci]
      role_arn = \(known.role)
      role_session_name = job-7
      source_profile = base
      """
    profile.files["\(AWSRun.home)/.aws/credentials"] = """
      [base]
      aws_access_key_id = \(known.admin[0])
      aws_secret_access_key = \(known.admin[1])
      """
    let session = try profile.parameterStore(["profile": .text("ci")])
    let job = "arn:aws:sts::\(known.account):assumed-role/deploy/job-7"
    #expect(await session.signedInAs() == .found(owner: job, step: "role of the profile"))
    guard case .value(let value)? = await session.source?.read([Self.reference("\(path)/a")]).first else {
      Issue.record("not read")
      return
    }
    #expect(value.text == "one")
  }

  @Test("a token of a CI service is enough for a role that trusts it, and says so if it does not")
  func web() async throws {
    // moto cannot check the rights of requests without a signature.
    let known = try AWSPeer.known(.ministack)
    func token(_ issuer: String) -> String {
      let parts = [#"{"alg":"none"}"#, #"{"iss":"\#(issuer)","sub":"job","aud":"sts.amazonaws.com"}"#]
      return parts.map { part in
        Data(part.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
          "=", with: "")
      }.joined(separator: ".") + ".AAAA"
    }
    let jwt = Connection.Value.secret(Reference(scheme: "env", location: "ID_TOKEN", isLocal: true))
    var run = AWSRun()
    run.variables["AWS_ENDPOINT_URL"] = known.address
    run.variables["ID_TOKEN"] = token("https://token.example")
    let backend = try run.secretsManager(["role": .text(known.webRole), "jwt": jwt])
    let web = "arn:aws:sts::\(known.account):assumed-role/web/keyplan"
    #expect(await backend.signedInAs() == .known(web))
    let name = Self.fresh()
    try await write(["a": "one"], try #require(backend.target), at: "prefix \(name)")

    run.variables["ID_TOKEN"] = token("https://elsewhere.example")
    guard
      case .failed(let failure) = await try run.secretsManager(["role": .text(known.webRole), "jwt": jwt]).signedInAs()
    else {
      Issue.record("signed in")
      return
    }
    #expect(failure.kind == .unauthenticated)
    #expect(failure.reason == "STS rejected the web identity token, or the role does not trust it.")

    run.variables["AWS_ROLE_ARN"] = known.webRole
    run.variables["AWS_WEB_IDENTITY_TOKEN_FILE"] = "/var/run/token"
    run.files["/var/run/token"] = token("https://token.example")
    #expect(await try run.secretsManager().signedInAs() == .found(owner: web, step: "web identity"))
  }

  @Test("the metadata services of instances and containers have a credential")
  func metadata() async throws {
    let known = try AWSPeer.known(.ministack)
    var run = AWSRun()
    run.variables = ["AWS_REGION": "eu-central-1", "AWS_EC2_METADATA_SERVICE_ENDPOINT": known.address]
    let instance = try await run.credentials()
    #expect(instance.accessKeyId.hasPrefix("ASIA") && instance.sessionToken != nil)
    #expect((instance.expires ?? 0) > run.now())
    run.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = known.address + "/v2/credentials/some-id"
    let container = try await run.credentials()
    #expect(container.accessKeyId.hasPrefix("ASIA") && container.accessKeyId != instance.accessKeyId)
    #expect((container.expires ?? 0) > run.now())
  }
}
