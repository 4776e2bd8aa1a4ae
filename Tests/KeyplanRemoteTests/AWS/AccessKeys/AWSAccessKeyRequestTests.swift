import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What is sent to IAM, and what its lists mean, with a fake of the network.
@Suite("Requests and lists of access keys") struct AWSAccessKeyRequestTests {
  private static func run(_ answers: FakeAnswers) -> AWSRun {
    var run = AWSRun()
    run.variables["AWS_ACCESS_KEY_ID"] = "ID"
    run.variables["AWS_SECRET_ACCESS_KEY"] = "s"
    run.send = answers.send
    run.now = { 1_795_435_200 }
    return run
  }

  private static let ended = FakeAnswers([
    ("Action=UpdateAccessKey", 200, "<UpdateAccessKeyResponse><ResponseMetadata/></UpdateAccessKeyResponse>"),
    ("Action=DeleteAccessKey", 200, "<?xml version=\"1.0\"?>\n<DeleteAccessKeyResponse xmlns=\"u\" />"),
  ])

  @Test("requests are as IAM documents them, and signed for its one region")
  func requests() async throws {
    let answers = FakeAnswers([])
    let issuer = try Self.run(answers).accessKeys()
    let place = AWSRun.place("ci+x@example.com")
    for operation in AccessKeyOperation.allCases {
      _ = await failure { try await issuer.perform(operation, "AKIA0000000000000001", at: place) }
    }
    let common = "&Version=2010-05-08&UserName=ci%2Bx%40example.com"
    #expect(
      answers.seen.map(\.body) == [
        "Action=ListAccessKeys\(common)", "Action=CreateAccessKey\(common)",
        "Action=UpdateAccessKey\(common)&AccessKeyId=AKIA0000000000000001&Status=Inactive",
        "Action=DeleteAccessKey\(common)&AccessKeyId=AKIA0000000000000001",
      ])
    for seen in answers.seen {
      #expect(seen.address == "https://iam.amazonaws.com/" && seen.headers["accept"] == nil)
      #expect(
        seen.headers["authorization"]?.hasPrefix(
          "AWS4-HMAC-SHA256 Credential=ID/20261123/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date"
        )
          == true)
    }
    #expect(try await Self.run(Self.ended).accessKeys().disable("A", label: "", at: place) == .done)
    #expect(try await Self.run(Self.ended).accessKeys().revoke("A", at: place) == .done)
  }

  @Test(
    "where IAM is follows from the partition of the region",
    arguments: [
      ("eu-central-1", nil, "https://iam.amazonaws.com/", "us-east-1"), ("us-gov-west-1", nil, nil, ""),
      ("cn-north-1", nil, nil, ""), ("us-iso-west-1", nil, nil, ""), ("us-isob-east-1", nil, nil, ""),
      ("eusc-de-east-1", nil, nil, ""),
      ("us-gov-east-1", "https://iam.us-gov.amazonaws.com", "https://iam.us-gov.amazonaws.com/", "us-gov-west-1"),
      (
        "cn-northwest-1", "https://iam.cn-north-1.amazonaws.com.cn/", "https://iam.cn-north-1.amazonaws.com.cn/",
        "cn-north-1"
      ),
      ("us-isob-east-1", "https://iam.example/", "https://iam.example/", "us-isob-east-1"),
      ("us-iso-west-1", "https://iam.example/", "https://iam.example/", "us-iso-east-1"),
      ("eu-west-1", "http://10.0.0.1/", nil, ""), ("eu-west-1", "https://iam.example/path", nil, ""),
    ] as [(String, String?, String?, String)])
  func endpoints(_ region: String, _ override: String?, _ address: String?, _ signed: String) async throws {
    let answers = FakeAnswers([])
    var run = Self.run(answers)
    run.variables["AWS_REGION"] = region
    run.variables["AWS_ENDPOINT_URL_IAM"] = override
    let issuer = try run.accessKeys()
    let failed = await failure { try await issuer.mint("", at: AWSRun.place("ci")) }
    #expect(failed?.kind == (address == nil ? .unreachable : .refused))
    #expect(answers.seen.map(\.address) == [address].compactMap(\.self), "\(failed?.reason ?? "")")
    let scope = answers.seen.first?.headers["authorization"]?.split(separator: "/").dropFirst(2).first
    #expect(scope.map(String.init) ?? "" == signed)
  }

  @Test("the description names every host that gets a credential, and what a key is made of")
  func description() throws {
    let backend = try #require(RemoteBackends.description("aws-keys"))
    let connection = try Connection(#require(Identifier("prod")), to: backend, ["region": .text("eu-west-1")])
    #expect(connection.hosts.map(\.text) == ["iam.amazonaws.com", "sts.eu-west-1.amazonaws.com"])
    #expect(backend.connection?.fields == ParameterStoreBackend.backend.connection?.fields.dropLast(2))
    #expect(backend.reference == nil && backend.target == nil)
    let issuer = try #require(backend.issuer)
    #expect(issuer.parts == ["accessKeyId", "secretAccessKey"] && issuer.canDisable && issuer.canRevoke)
    let pattern = try #require(issuer.place.fields.first { $0.name == "user" && $0.isRequired }?.pattern)
    #expect(pattern.matches(Array("a+=,.@-_9".utf8)) && !pattern.matches(Array("a/b".utf8)))
  }

  @Test("a place of another form is refused, and nothing is sent", arguments: AccessKeyOperation.allCases)
  func places(operation: AccessKeyOperation) async throws {
    let answers = FakeAnswers([])
    let issuer = try Self.run(answers).accessKeys()
    // Without a user, IAM would take the one who asks.
    for location in ["", "\"\"", "a b", "ci, more", "path/to"] {
      let place = Destination(type: "aws-keys", location: location)
      #expect(await failure { try await issuer.perform(operation, "A", at: place) }?.kind == .refused, "\(location)")
    }
    #expect(answers.seen.isEmpty)
  }

  /// A list as IAM writes it.
  private static func list(_ members: String, _ rest: String = "<IsTruncated>false</IsTruncated>") -> String {
    """
    <ListAccessKeysResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/">
      <ListAccessKeysResult><AccessKeyMetadata>\(members)</AccessKeyMetadata>\(rest)</ListAccessKeysResult>
      <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>
    </ListAccessKeysResponse>

    """
  }

  private static func member(_ id: String, _ status: String = "Active", created: String = "2026-11-25T10:00:00Z")
    -> String
  {
    "<member><UserName>ci</UserName><AccessKeyId>\(id)</AccessKeyId><Status>\(status)</Status>"
      + "<CreateDate>\(created)</CreateDate></member>\n"
  }

  private static let first = "AKIA0000000000000001"
  private static let second = "ASIA0000000000000002"

  @Test("every page of a list is read")
  func pages() async throws {
    let answers = FakeAnswers([
      (
        "Marker=a%2Bb%3D", 200,
        Self.list(Self.member(Self.second, "Inactive", created: "2026-11-25T10:00:01.5Z"))
      ),
      (
        "ListAccessKeys", 200,
        Self.list(Self.member(Self.first), "<IsTruncated>true</IsTruncated><Marker>a+b=</Marker>")
      ),
    ])
    let listed = try await Self.run(answers).accessKeys().list(at: AWSRun.place("ci"))
    #expect(
      listed == [
        ListedKey(id: Self.first, created: Moment("2026-11-25T10:00:00Z")),
        ListedKey(id: Self.second, created: Moment("2026-11-25T10:00:01Z")),
      ])
    #expect(answers.seen.count == 2)
    for empty in [
      Self.list(""),
      Self.list("\n ").replacing("<AccessKeyMetadata>\n </AccessKeyMetadata>", with: "<AccessKeyMetadata />"),
    ] {
      let issuer = try Self.run(FakeAnswers([("ListAccessKeys", 200, empty)])).accessKeys()
      #expect(try await issuer.list(at: AWSRun.place("ci")) == [], "\(empty)")
    }
  }

  @Test(
    "a list that is not complete is no list",
    arguments: [
      list(member(first) + member(first)), list(member("short")), list(member("")),
      list(member("AKIA 000000000000001")),
      list("<member><AccessKeyId>AKIA0000000000000001</AccessKeyId></member>"), list("<member/>"),
      list("<entry><AccessKeyId>AKIA0000000000000001</AccessKeyId></entry>"), list("text"),
      list(member(first) + "text"), list(member(first), "<IsTruncated>true</IsTruncated>"),
      list(member(first), "<IsTruncated>true</IsTruncated><Marker/>"),
      list(member(first), "<IsTruncated>maybe</IsTruncated>"),
      list(member(first), "<IsTruncated>false</IsTruncated><Marker>m</Marker>"),
      list(member(first), "<Marker>m</Marker>"),
      list("").replacing("AccessKeyMetadata", with: "AccessKeyMetaData"),
      list("", "<AccessKeyMetadata></AccessKeyMetadata>"), list("").replacing("ListAccessKeysResult", with: "Result"),
      list("").replacing("ListAccessKeysResponse", with: "ListUsersResponse"), "",
      String(list(member(first)).dropLast(30)), "<html><title>Sign in</title></html>", list(member(first)) + "<a/>",
      list("<!-- " + member(first) + " -->"), list("<![CDATA[" + member(first) + "]]>"),
      "<!DOCTYPE x [<!ENTITY e \"\(member(first))\">]>" + list("&e;"), list("&e;"),
      list(member("&lt;AKIA0000000000001")), list(member(first, "&e;")), "<?xml version=\"1.0\"?><?x y?>" + list(""),
      list(String(repeating: "<member>", count: 100) + String(repeating: "</member>", count: 100)),
      list(member(first).replacing("<member>", with: "<member a=\"b\">")), "x" + list(""), list("") + "x",
      list("").replacing("</ListAccessKeysResult>", with: "</ListAccessKeysResul>"),
      #"{"ListAccessKeysResponse":{"ListAccessKeysResult":{"AccessKeyMetadata":[]}}}"#,
    ])
  func incomplete(body: String) async throws {
    let issuer = try Self.run(FakeAnswers([("ListAccessKeys", 200, body)])).accessKeys()
    #expect(await failure { try await issuer.list(at: AWSRun.place("ci")) }?.kind == .unreadable)
  }

  @Test("a list without an end is given up")
  func endless() async throws {
    let fake = try FakeIAM()
    let page = Self.list(Self.member("AKIA000000000000#"), "<IsTruncated>true</IsTruncated><Marker>again</Marker>")
    try await fake.fail(Fault(body: page))
    let issuer = try fake.run().accessKeys()
    let failed = await failure { try await issuer.list(at: fake.place) }
    #expect(failed?.kind == .unreadable && failed?.reason == "The list from 127.0.0.1 does not end.")
    #expect(try await fake.seen().count == 10)
  }

  @Test("an answer that is larger than any list is not read")
  func huge() async throws {
    let fake = try FakeIAM()
    let members = (0..<10_000).map { Self.member("AKIA\(10_000_000 + $0)0000") }.joined()
    try await fake.fail(Fault(body: Self.list(members)))
    let issuer = try fake.run().accessKeys()
    #expect(await failure { try await issuer.list(at: fake.place) }?.kind == .unreadable)
  }

  @Test("a list that cannot be read for a moment is read again, and one that may not be read has its kind")
  func failures() async throws {
    let fake = try FakeIAM()
    let run = fake.run()
    let issuer = try run.accessKeys()
    try await fake.fail(Fault(status: 503, times: 1))
    #expect(try await issuer.list(at: fake.place) == [])
    #expect(run.pauses.list.count == 1)
    for (status, code, kind) in [
      (403, "AccessDenied", KeyIssuerFailure.Kind.denied), (403, "ExpiredToken", .unauthenticated),
      (400, "Throttling", .throttled), (500, "ServiceFailure", .unreachable), (404, "NoSuchEntity", .refused),
      (404, "", .unreadable), (500, "NoSuchEntity", .unreachable),
    ] {
      try await fake.fail(Fault(status: status, body: "<Error><Code>\(code)</Code></Error>"))
      #expect(await failure { try await issuer.list(at: fake.place) }?.kind == kind, "\(code)")
      try await fake.recover()
    }
  }
}
