import KeyplanSecrets
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite("AWS's files and command lines") struct AWSFileTests {
  private static func file(_ text: String) -> AWSSharedFile { AWSSharedFile(SecretBox(Array(text.utf8))) }

  @Test("sections and settings are read as AWS's tools do, and nothing of the file is shown")
  func settings() {
    let file = Self.file(
      """
      outside = ignored
      # a comment
      [default]
      Region=eu-west-1\r
      key = a = b ; c # d
      s3 =
        max_queue_size = 10
      empty =
      [ profile "my profile" ]
      region = x
      [profile   plain]
      region = y
      [broken
      region = z
      [profile plain]
      output = json
      """)
    #expect(file.text("region", in: "default") == "eu-west-1")
    #expect(file.text("key", in: "default") == "a = b ; c # d")
    #expect(file.text("max_queue_size", in: "default") == nil)
    #expect(file.text("empty", in: "default") == "")
    #expect(file.text("outside", in: "default") == nil)
    #expect(file.text("region", in: "profile my profile") == "x")
    #expect(file.text("region", in: "profile plain") == "y" && file.text("output", in: "profile plain") == "json")
    #expect(file.hasSection("profile plain") && !file.hasSection("broken"))
    #expect("\(file)" == "(secret)")
    #expect(Self.file("").hasSection("default") == false)
  }

  @Test("the credentials file has precedence, and the default profile may be written as any other")
  func profiles() throws {
    let profiles = AWSProfiles(
      config: Self.file("[profile default]\nregion = a\naws_access_key_id = C\naws_secret_access_key = c"),
      credentials: Self.file(
        "[default]\naws_access_key_id = F\naws_secret_access_key = f\n[partial]\naws_access_key_id = P"))
    let profile = try #require(profiles.profile("default"))
    #expect(profile["region"] == "a")
    #expect(try profile.accessKey()?.accessKeyId == "F")
    #expect(profiles.profile("other") == nil)
    #expect(throws: RemoteFailure.self) { try profiles.profile("partial")?.accessKey() }
  }

  @Test(
    "command lines are split as Python's shlex does",
    arguments: [
      ("a b  c", ["a", "b", "c"]), ("'a b' \"c d\"", ["a b", "c d"]), (#"a\ b "c\"d\\e\f""#, ["a b", #"c"d\e\f"#]),
      ("a''b ''", ["ab", ""]), ("", []), ("'a", nil), (#""a"#, nil), (#"a\"#, nil),
    ] as [(String, [String]?)])
  func words(_ line: String, _ words: [String]?) { #expect(CommandWords.split(line) == words) }

  @Test(
    "references name secrets, parameters and their versions",
    arguments: [
      ("prod/db", "prod/db", .current), ("db:AWSPREVIOUS", "db", .stage("AWSPREVIOUS")),
      (
        "db:8a2f9b3c-0f1e-4c2d-9b7a-112233445566", "db", .id("8a2f9b3c-0f1e-4c2d-9b7a-112233445566")
      ),
      (
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf:x",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf", .stage("x")
      ),
      ("arn:aws:ssm:eu-west-1:123456789012:parameter/db", nil, .current), ("a:b:c", nil, .current),
      (":a", nil, .current), ("a:", nil, .current),
    ] as [(String, String?, SecretId.Version)])
  func secrets(_ text: String, _ name: String?, _ version: SecretId.Version) {
    let id = SecretId(reference: text)
    #expect(id?.secret == name)
    if let id { #expect(id.version == version) }
  }

  @Test(
    "a parameter with a path begins with a slash, written or not",
    arguments: [
      ("prod/db", "/prod/db", nil), ("/prod/db:3", "/prod/db", "3"), ("db", "db", nil), ("/db:live", "/db", "live"),
      (
        "arn:aws:ssm:eu-west-1:123456789012:parameter/a/b:2", "arn:aws:ssm:eu-west-1:123456789012:parameter/a/b", "2"
      ), ("a:b:c", nil, nil), ("arn:aws:secretsmanager:eu-west-1:1:secret:x", nil, nil),
    ] as [(String, String?, String?)])
  func parameters(_ text: String, _ name: String?, _ selector: String?) {
    let id = ParameterId(reference: text)
    #expect(id?.name == name && id?.selector == selector)
  }

  @Test("a secret is recognized by its name, its ARN, and its ARN without the end")
  func recognized() {
    let arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf"
    for text in ["db", arn, String(arn.dropLast(7))] { #expect(SecretId(text).isNamed("db", arn: arn), "\(text)") }
    for text in ["db-AbCdEf", String(arn.dropLast(3)), String(arn.dropLast(8))] {
      #expect(!SecretId(text).isNamed("db", arn: arn), "\(text)")
    }
  }

  @Test("the same write has the same version ID, another one another, and no ID tells anything in another run")
  func tokens() {
    let (tokens, others) = (VersionTokens(), VersionTokens())
    let (one, two) = (SecretBox(Array("one".utf8)), SecretBox(Array("two".utf8)))
    let token = tokens.token("a", after: "v", one)
    #expect(token == tokens.token("a", after: "v", SecretBox(Array("one".utf8))))
    #expect(token != tokens.token("a", after: "v", two) && token != tokens.token("a", after: "w", one))
    #expect(tokens.token("ab", after: "c", one) != tokens.token("a", after: "bc", one))
    #expect(token != others.token("a", after: "v", one))
    #expect(SecretId(reference: "a:\(token)")?.version == .id(token))
  }
}
