import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// The order and the rules of AWS's chain, with a fake of the network.
@Suite("Credentials of AWS") struct AWSCredentialTests {
  private static let config = "\(AWSRun.home)/.aws/config"
  private static let credentials = "\(AWSRun.home)/.aws/credentials"
  private static let key = "aws_access_key_id = %\naws_secret_access_key = secret of %\n"

  private static func key(_ name: String) -> String { key.replacing("%", with: name) }

  /// What STS answers, with its one form of XML.
  private static func assumed(_ name: String) -> String {
    """
    <AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>\(name)</AccessKeyId><SecretAccessKey>s/\(name)+=\
    </SecretAccessKey><SessionToken>t</SessionToken><Expiration>2027-01-01T00:00:00Z</Expiration></Credentials>\
    </AssumeRoleResult></AssumeRoleResponse>
    """
  }

  private static func run(
    _ files: [String: String] = [:], _ variables: [String: String] = [:],
    _ answers: FakeAnswers = FakeAnswers([])
  ) -> AWSRun {
    var run = AWSRun()
    run.files = files
    run.variables.merge(variables) { $1 }
    run.send = answers.send
    run.now = { 1_795_435_200 }
    return run
  }

  @Test("variables come first, unless the manifest names a profile")
  func order() async throws {
    let run = Self.run(
      [Self.credentials: "[default]\n\(Self.key("FILE"))[ci]\n\(Self.key("CI"))"],
      ["AWS_ACCESS_KEY_ID": "VARIABLE", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"])
    let found = try await run.credentials()
    #expect(found.accessKeyId == "VARIABLE" && found.sessionToken?.text == "t")
    let ci = try await run.credentials(["profile": .text("ci")])
    #expect(ci.accessKeyId == "CI" && ci.secretAccessKey.text == "secret of CI" && ci.sessionToken == nil)
    let id = Connection.Value.secret(Reference(scheme: "env", location: "ID", isLocal: true))
    let secret = Connection.Value.secret(Reference(scheme: "env", location: "KEY", isLocal: true))
    var declared = run
    declared.variables.merge(["ID": "DECLARED", "KEY": "k"]) { $1 }
    #expect(
      try await declared.credentials(["accessKeyId": id, "secretAccessKey": secret]).accessKeyId == "DECLARED")
    #expect(await declared.failure(["jwt": id])?.reason == "The field \"jwt\" requires the field \"role\".")
    #expect(await declared.failure(["accessKeyId": id])?.reason == "Both accessKeyId and secretAccessKey must be set.")
  }

  @Test("a connection says which step of the search it is signed in with, also where it assumes a role with that")
  func step() async throws {
    let ada = "arn:aws:iam::1:user/ada"
    let answers = FakeAnswers([
      (
        "GetCallerIdentity", 200,
        "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>\(ada)</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>"
      ),
      ("role%2Fdeploy", 200, Self.assumed("ROLE")),
    ])
    let file = [Self.credentials: "[default]\n\(Self.key("FILE"))"]
    let variables = ["AWS_ACCESS_KEY_ID": "VARIABLE", "AWS_SECRET_ACCESS_KEY": "s"]
    func signedIn(
      _ files: [String: String], _ variables: [String: String], _ declared: [String: Connection.Value] = [:]
    ) async throws -> SignedInAs {
      try await Self.run(files, variables, answers).secretsManager(declared).signedInAs()
    }
    #expect(try await signedIn(file, variables) == .found(owner: ada, step: "environment variables"))
    #expect(try await signedIn(file, [:]) == .found(owner: ada, step: "credentials file"))
    let id = Connection.Value.secret(Reference(scheme: "env", location: "AWS_ACCESS_KEY_ID", isLocal: true))
    let secret = Connection.Value.secret(Reference(scheme: "env", location: "AWS_SECRET_ACCESS_KEY", isLocal: true))
    #expect(try await signedIn(file, variables, ["accessKeyId": id, "secretAccessKey": secret]) == .known(ada))
    #expect(
      try await signedIn(file, [:], ["role": .text("arn:aws:iam::1:role/deploy")])
        == .found(owner: ada, step: "credentials file"))
    #expect(answers.seen.contains { $0.body.contains("role%2Fdeploy") })
  }

  @Test("the credentials file comes before the config file, and a profile of a variable must exist")
  func files() async throws {
    var run = Self.run([
      Self.config: "[default]\nregion = eu-west-3\n\(Self.key("CONFIG"))\n[profile other]\n\(Self.key("OTHER"))",
      Self.credentials: "# none\n",
    ])
    #expect(try await run.credentials().accessKeyId == "CONFIG")
    run.variables["AWS_PROFILE"] = "other"
    #expect(try await run.credentials().accessKeyId == "OTHER")
    run.files["/c"] = "[other]\n\(Self.key("MOVED"))"
    run.variables["AWS_SHARED_CREDENTIALS_FILE"] = "/c"
    #expect(try await run.credentials().accessKeyId == "MOVED")
    run.variables["AWS_PROFILE"] = "nobody"
    let failure = try #require(await run.failure())
    #expect(failure.reason == #"role of the profile: The profile "nobody" is in neither AWS configuration file."#)
    run.variables["AWS_CONFIG_FILE"] = "relative/config"
    #expect(await run.failure()?.reason == #"The path "relative/config" is not absolute."#)
  }

  @Test("half an access key ends the search, and none at all lists what was searched")
  func partial() async throws {
    let run = Self.run([Self.credentials: "[default]\n\(Self.key("FILE"))"], ["AWS_ACCESS_KEY_ID": "VARIABLE"])
    #expect(await run.failure()?.reason.hasPrefix("environment variables: The access key of") == true)
    let none = try #require(await Self.run().failure())
    #expect(none.answer == .unauthenticated)
    #expect(
      none.reason == "No credential was found. Searched: environment variables, role of the profile, web identity, "
        + "IAM Identity Center, credentials file, console session, credential_process, config file, container, instance metadata."
    )
  }

  @Test("a role of a profile is assumed with its source, through as many profiles as it takes")
  func roles() async throws {
    let answers = FakeAnswers([
      ("role%2Ffirst", 200, Self.assumed("FIRST")), ("role%2Fsecond", 200, Self.assumed("SECOND")),
    ])
    let run = Self.run(
      [
        Self.config: """
        [profile second]
        role_arn = arn:aws:iam::123456789012:role/second
        source_profile = first
        external_id = shared words
        duration_seconds = 900
        [profile first]
        role_arn = arn:aws:iam::123456789012:role/first
        source_profile = base
        role_session_name = me
        """, Self.credentials: "[base]\n\(Self.key("BASE"))",
      ], ["AWS_PROFILE": "second"], answers)
    let found = try await run.credentials()
    #expect(found.accessKeyId == "SECOND" && found.secretAccessKey.text == "s/SECOND+=")
    #expect(found.expires == AWSTime.seconds("2027-01-01T00:00:00Z"))
    let seen = answers.seen
    try #require(seen.count == 2)
    #expect(seen[0].headers["authorization"]?.contains("Credential=BASE/") == true)
    #expect(seen[0].body.contains("RoleSessionName=me"))
    #expect(seen[1].headers["authorization"]?.contains("Credential=FIRST/") == true)
    #expect(seen[1].headers["x-amz-security-token"] == "t")
    #expect(seen[1].body.contains("ExternalId=shared+words") && seen[1].body.contains("DurationSeconds=900"))
    #expect(seen.allSatisfy { $0.address == "https://sts.eu-central-1.amazonaws.com/" })
    // A profile can be its own source.
    let own = Self.run(
      [Self.credentials: "[me]\n\(Self.key("BASE"))role_arn = arn:aws:iam::1:role/first\nsource_profile = me\n"],
      ["AWS_PROFILE": "me"], answers)
    #expect(try await own.credentials().accessKeyId == "FIRST")
  }

  @Test(
    "a role that cannot be assumed without a person, or has no source, says why",
    arguments: [
      ("source_profile = base\nmfa_serial = arn:aws:iam::123456789012:mfa/me", "has `mfa_serial`"),
      ("source_profile = loop", "has itself as a source"), ("", "must have one of"),
      ("source_profile = base\ncredential_source = Environment", "must have one of"),
      ("credential_source = Ec2", "other than"), ("source_profile = none", "is in neither"),
      ("source_profile = bare", #"The source "bare" has no credential"#),
      ("credential_source = Environment", #"The source "Environment" has no credential"#),
    ])
  func refused(_ lines: String, _ reason: String) async throws {
    let arn = "role_arn = arn:aws:iam::123456789012:role/r"
    let run = Self.run(
      [
        Self.config:
          "[profile ci]\n\(arn)\n\(lines)\n[profile loop]\n\(arn)\nsource_profile = ci\n[profile bare]\nregion = x\n",
        Self.credentials: "[base]\n\(Self.key("BASE"))",
      ], ["AWS_PROFILE": "ci"])
    let failure = try #require(await run.failure())
    #expect(failure.answer == .unauthenticated && failure.reason.contains(reason), "\(failure.reason)")
    #expect(failure.reason.hasPrefix("role of the profile: "))
  }

  @Test("a web identity of a profile is exchanged without a signature, and a missing token is no reason to go on")
  func webIdentity() async throws {
    let answers = FakeAnswers([("AssumeRoleWithWebIdentity", 200, Self.assumed("WEB"))])
    var run = Self.run(
      [
        Self.config: """
        [default]
        role_arn = arn:aws:iam::123456789012:role/r
        web_identity_token_file = /token
        """, "/token": "header.payload.signature", Self.credentials: "[default]\n\(Self.key("FILE"))",
      ], [:], answers)
    #expect(try await run.credentials().accessKeyId == "WEB")
    try #require(answers.seen.count == 1)
    #expect(answers.seen[0].headers["authorization"] == nil)
    #expect(answers.seen[0].body.contains("WebIdentityToken=header.payload.signature"))
    run.files["/token"] = nil
    let session = Self.run([Self.config: "[default]\nlogin_session = arn:aws:iam::123456789012:user/me\n"])
    #expect(await session.failure()?.hint?.contains("export-credentials") == true)
    let half = Self.run([:], ["AWS_WEB_IDENTITY_TOKEN_FILE": "/token"])
    #expect(
      await half.failure()?.reason == "web identity: There is a web identity token, but no role to assume with it.")
    #expect(await run.failure()?.reason == "web identity: The web identity token is missing at /token.")
  }

  @Test(
    "an exchange of a web identity that STS cannot make is no rejection of the token",
    arguments: [
      ("IDPCommunicationError", 400, AnswerClass.unreachable, "could not reach the issuer"),
      ("RegionDisabledException", 403, .unauthenticated, "not active for the account in this region"),
      ("InvalidIdentityToken", 400, .unauthenticated, "rejected the web identity token"),
      ("IDPRejectedClaim", 403, .unauthenticated, "rejected the web identity token"),
    ])
  func exchange(code: String, status: Int, answer: AnswerClass, reason: String) async throws {
    let body = "<ErrorResponse><Error><Code>\(code)</Code><Message>x</Message></Error></ErrorResponse>"
    let answers = FakeAnswers([("AssumeRoleWithWebIdentity", status, body)])
    let run = Self.run(
      ["/token": "header.payload.signature"],
      [
        "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/r",
        "AWS_REGION": "eu-central-1",
      ], answers)
    let failure = try #require(await run.failure())
    #expect(failure.answer == answer && failure.reason.contains(reason), "\(failure.reason)")
    // Only a failure that passes is tried again.
    #expect((answers.seen.count > 1) == (answer == .unreachable))
  }

  @Test("a session with IAM Identity Center is used, and an expired one says how to sign in; it is never refreshed")
  func identityCenter() async throws {
    let answers = FakeAnswers([
      (
        "federation/credentials", 200,
        #"{"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":1795438800000}}"#
      )
    ])
    let profile = """
      [profile dev]
      sso_session = corp
      sso_account_id = 123456789012
      sso_role_name = Power User
      [sso-session corp]
      sso_region = us-west-2
      sso_start_url = https://corp.awsapps.com/start
      """
    var run = Self.run([Self.config: profile], ["AWS_PROFILE": "dev"], answers)
    let missing = try #require(await run.failure())
    #expect(missing.hint == "Run: aws sso login --profile dev")
    let path = "\(AWSRun.home)/.aws/sso/cache/\(Self.sha1OfCorp).json"
    run.files[path] = #"{"accessToken":"token","expiresAt":"2026-11-23T12:00:01Z","refreshToken":"r"}"#
    let found = try await run.credentials()
    #expect(found.accessKeyId == "SSO" && found.expires == 1_795_438_800)
    #expect(
      answers.seen.map(\.address) == [
        "https://portal.sso.us-west-2.amazonaws.com/federation/credentials?account_id=123456789012&role_name=Power%20User"
      ])
    #expect(answers.seen[0].headers["x-amz-sso_bearer_token"] == "token")
    run.files[path] = #"{"accessToken":"token","expiresAt":"2026-11-23T11:59:59Z","refreshToken":"r"}"#
    let expired = try #require(await run.failure())
    #expect(expired.reason.contains("has expired") && expired.hint == "Run: aws sso login --profile dev")
    #expect(answers.seen.count == 1)
  }

  /// The SHA-1 hash of `corp`, the session's name.
  private static let sha1OfCorp = "ee0bfd2552fbd840c02cc48b6e823320543c450f"

  @Test("credential_process is run with AWS's variables, and must print a valid credential")
  func process() async throws {
    let config = #"[default]\#ncredential_process = /opt/tool 'two words' "a \"b\"" c\ d\#n"#
    var run = Self.run([Self.config: config], ["AWS_REGION": "eu-central-1", "OTHER": "x"])
    run.programs.output["/opt/tool"] =
      #"{"Version":1,"AccessKeyId":"TOOL","SecretAccessKey":"s","SessionToken":"t","Expiration":"2026-11-23T13:00:00Z"}"#
    #expect(try await run.credentials().accessKeyId == "TOOL")
    let call = try #require(run.programs.calls.list.first)
    #expect(call.arguments == ["/opt/tool", "two words", #"a "b""#, "c d"])
    #expect(call.variables["AWS_REGION"] == "eu-central-1" && call.variables["OTHER"] == nil)
    for printed in [
      "", "{}", #"{"Version":2,"AccessKeyId":"A","SecretAccessKey":"s"}"#, #"{"Version":1,"AccessKeyId":"A"}"#,
      #"{"Version":1,"AccessKeyId":"A","SecretAccessKey":"s","Expiration":"2026-11-23T11:00:00Z"}"#,
    ] {
      run.programs.output["/opt/tool"] = printed
      #expect(await run.failure()?.reason.hasPrefix("credential_process: The program") == true, "\(printed)")
    }
    run.programs.output = [:]
    #expect(await run.failure()?.reason == "credential_process: The program exited with code 3.")
  }

  @Test("a container's credentials come from AWS's own addresses only")
  func container() async throws {
    let answers = FakeAnswers([
      ("/creds", 200, #"{"AccessKeyId":"TASK","SecretAccessKey":"s","Token":"t","Expiration":"2026-11-23T13:00:00Z"}"#)
    ])
    var run = Self.run([:], ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/creds"], answers)
    #expect(try await run.credentials().accessKeyId == "TASK")
    #expect(answers.seen.last?.address == "http://169.254.170.2/v2/creds")
    run.variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"] = nil
    run.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"] = "/pod"
    run.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "other"
    run.files["/pod"] = "pod token"
    for address in [
      "http://169.254.170.23/v1/creds", "http://[fd00:ec2::23]/v1/creds", "http://127.0.0.1:51678/creds",
      "https://creds.example/creds",
    ] {
      run.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = address
      #expect(try await run.credentials().accessKeyId == "TASK", "\(address)")
      #expect(answers.seen.last?.address == address && answers.seen.last?.headers["authorization"] == "pod token")
    }
    let count = answers.seen.count
    for address in ["http://169.254.169.254/creds", "http://10.0.0.1/creds", "http://example.com/creds", "creds"] {
      run.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = address
      #expect(await run.failure()?.reason.contains("not one of the hosts") == true, "\(address)")
    }
    run.variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = "http://169.254.170.23/v1/creds"
    run.files["/pod"] = "pod\r\nx-injected: 1"
    #expect(await run.failure()?.reason.contains("control character") == true)
    #expect(answers.seen.count == count)
  }

  @Test("the metadata of an instance needs a session token, and is not asked where the manifest names a profile")
  func instance() async throws {
    let answers = FakeAnswers([
      ("PUT http://169.254.169.254/latest/api/token", 200, "session"),
      (
        "security-credentials/my%20role", 200,
        #"{"Code":"Success","AccessKeyId":"HOST","SecretAccessKey":"s","Token":"t","Expiration":"2026-11-23T13:00:00Z"}"#
      ),
      ("GET http://169.254.169.254/latest/meta-data/iam/security-credentials/", 200, "my role\n"),
    ])
    var run = Self.run([:], ["AWS_EC2_METADATA_DISABLED": "false"], answers)
    #expect(try await run.credentials().accessKeyId == "HOST")
    #expect(answers.seen.dropFirst().allSatisfy { $0.headers["x-aws-ec2-metadata-token"] == "session" })
    // Without a token, the first version of the service would be left: it is not used.
    let first = FakeAnswers([("security-credentials/", 200, "my-role")])
    let refused = Self.run([:], ["AWS_EC2_METADATA_DISABLED": "false"], first)
    #expect(await refused.failure()?.reason.hasPrefix("No credential was found") == true)
    #expect(first.seen.count == 1)
    let silent = FakeAnswers([])
    run = Self.run([Self.config: "[profile ci]\nregion = x\n"], ["AWS_EC2_METADATA_DISABLED": "false"], silent)
    #expect(await run.failure(["profile": .text("ci")]) != nil)
    #expect(silent.seen.isEmpty)
  }
}
