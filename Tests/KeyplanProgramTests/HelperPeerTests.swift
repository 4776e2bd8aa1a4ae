import Foundation
import Testing

/// Programs in Python that run helpers, in the folder of a stranger, with the configuration that `--setup` prints.
@Suite("Python programs that know credential helpers", .timeLimit(.minutes(40)))
struct HelperPeerTests {
  private static let token = HelperHosts.token
  private static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"]

  @Test(
    "botocore takes an access key from the process that the profile names",
    .enabled(if: python != nil || isCI, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
  func botocore() throws {
    let project = try HelperProject()
    let setup = try project.setup("aws", "--access-key-id", "aws-id", "--secret-access-key", "token")
    try project.write(setup, to: project.sandbox.root + "/config")
    let script = """
      import botocore.session
      found = botocore.session.Session(profile="NAME").get_credentials().get_frozen_credentials()
      print(found.access_key, found.secret_key, found.token)
      """
    let answer = try project.run(
      [try #require(Self.python), "-c", script], variables: ["AWS_CONFIG_FILE": project.sandbox.root + "/config"])
    #expect(answer.code == 0 && answer.out == "AKIAMADEUP \(Self.token) None\n", "\(answer)")
  }

  @Test(
    "pip sends a password to its index, and none without TLS or to another host",
    .enabled(if: python != nil || isCI, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
  func pip() throws {
    let hosts = try HelperHosts()
    try hosts.serve("<a href=\"demo-1.0.tar.gz\">demo-1.0.tar.gz</a>", at: "simple/demo/index.html")
    let setup = try hosts.project.setup("keyring", "token", "--host", hosts.own)
    try hosts.project.write(
      try hosts.project.part(after: "file keyring", of: setup), to: hosts.project.sandbox.root + "/bin/keyring",
      executable: true)
    func versions(_ index: String) throws -> ProgramRun.Answer {
      try hosts.project.run([
        try #require(Self.python), "-m", "pip", "--disable-pip-version-check", "--no-input", "--keyring-provider",
        "subprocess", "--cert", hosts.certificate, "--retries", "0", "download", "--no-deps", "--index-url", index,
        "demo",
      ])
    }
    _ = try versions("https://ada@\(hosts.own)/simple/")
    #expect(hosts.told() == [0])
    for index in ["https://ada@\(hosts.other)/simple/", "http://ada@\(hosts.plain)/simple/"] {
      #expect(try versions(index).code != 0)
    }
    #expect(hosts.wasAsked(1) && hosts.wasAsked(2) && hosts.told() == [0])
    // What the rule about bare hosts is for: pip asks for the host alone, whatever the scheme.
    let bare = try HelperHosts()
    let lax = try bare.project.setup("keyring", "token", "--host", bare.plain, "--allow-bare-host")
    try bare.project.write(
      try bare.project.part(after: "file keyring", of: lax), to: bare.project.sandbox.root + "/bin/keyring",
      executable: true)
    _ = try bare.project.run([
      try #require(Self.python), "-m", "pip", "--disable-pip-version-check", "--no-input", "--keyring-provider",
      "subprocess",
      "--retries", "0", "download", "--no-deps", "--trusted-host", bare.plain, "--index-url",
      "http://ada@\(bare.plain)/simple/",
      "demo",
    ])
    #expect(bare.told() == [2])
  }
}
