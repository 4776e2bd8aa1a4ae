import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("Signature Version 4") struct SigV4Tests {
  /// 2015-08-30T12:36:00Z, the time of AWS's examples.
  static let time: Int64 = 1_440_938_160
  static let token = """
    AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI\
    /qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT\
    38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==
    """

  struct Example: Sendable {
    let name: String
    let method: String
    var query = ""
    var headers: [(name: String, value: HTTPValue)] = [("host", .open("example.amazonaws.com"))]
    var body = ""
    var token: String?
    var service = "service"
    let signed: String
    let signature: String
  }

  @Test(
    "signs AWS's own examples as AWS does",
    arguments: [
      Example(
        name: "get-vanilla", method: "GET", signed: "host;x-amz-date",
        signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
      Example(
        name: "post-vanilla", method: "POST", signed: "host;x-amz-date",
        signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
      Example(
        name: "post-x-www-form-urlencoded", method: "POST",
        headers: [
          ("content-type", .open("application/x-www-form-urlencoded")), ("host", .open("example.amazonaws.com")),
        ],
        body: "Param1=value1", signed: "content-type;host;x-amz-date",
        signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
      Example(
        name: "get-header-value-trim", method: "GET",
        headers: [
          ("my-header2", .open(" \"a   b   c\"")), ("my-header1", .open(" value1")),
          ("host", .open("example.amazonaws.com")),
        ], signed: "host;my-header1;my-header2;x-amz-date",
        signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
      Example(
        name: "post-sts-header-before", method: "POST", token: token,
        signed: "host;x-amz-date;x-amz-security-token",
        signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
      Example(
        name: "the example of the IAM User Guide", method: "GET", query: "Action=ListUsers&Version=2010-05-08",
        headers: [
          ("content-type", .open("application/x-www-form-urlencoded; charset=utf-8")),
          ("host", .open("iam.amazonaws.com")),
        ], service: "iam", signed: "content-type;host;x-amz-date",
        signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"),
    ])
  func examples(_ example: Example) throws {
    let key = try #require(
      AWSCredentials(
        "AKIDEXAMPLE", SecretBox(Array("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".utf8)),
        token: example.token.map { SecretBox(Array($0.utf8)) }))
    let signer = SigV4(key, region: "us-east-1", service: example.service, date: Self.time)
    let request = SigV4.Request(
      method: example.method, query: example.query, headers: example.headers,
      body: SecretBox(Array(example.body.utf8)))
    #expect(
      signer.authorization(request)
        == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/\(example.service)/aws4_request, "
        + "SignedHeaders=\(example.signed), Signature=\(example.signature)", "\(example.name)")
    #expect(signer.date == "20150830T123600Z")
  }

  @Test("a key shows nothing of itself, and one that cannot be in a header is none")
  func keys() throws {
    let secret = SecretBox(Array("very secret".utf8))
    let key = try #require(AWSCredentials("AKIDEXAMPLE", secret))
    #expect("\(key) \(String(reflecting: key))" == "(secret) (secret)")
    for id in ["", "a b", "a\nb", "a/b", "ä"] { #expect(AWSCredentials(id, secret) == nil, "\(id)") }
    #expect(AWSCredentials("id", SecretBox([])) == nil)
    #expect(AWSCredentials("id", nil) == nil)
  }

  @Test(
    "times are read as AWS's programs write them",
    arguments: [
      ("2026-11-23T12:00:00Z", 1_795_435_200), ("2026-11-23T12:00:00.123456+00:00", 1_795_435_200),
      ("2026-11-23T12:00:00UTC", 1_795_435_200), ("2026-11-23T13:00:00+01:00", 1_795_435_200), ("soon", nil),
    ] as [(String, Int64?)])
  func times(_ text: String, _ seconds: Int64?) { #expect(AWSTime.seconds(text) == seconds) }
}
