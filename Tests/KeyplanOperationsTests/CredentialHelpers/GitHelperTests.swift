import KeyplanModel
import KeyplanOperations
import KeyplanReporting
import KeyplanSecrets
import Testing

@Suite struct GitHelperTests {
  private func helper(_ path: String? = nil) throws -> GitHelper {
    try GitHelper(host: try helperHost(), path: path, username: "x-access-token")
  }

  private func accepts(_ request: String, path: String? = nil) throws -> Bool {
    try helper(path).accepts(SecretBox(text: request))
  }

  @Test("answers for https and its host, whatever else git says")
  func accepts() throws {
    #expect(try accepts("protocol=https\nhost=git.example.com\n"))
    #expect(
      try accepts(
        "capability[]=authtype\nprotocol=https\nhost=git.example.com\nwwwauth[]=Basic\nwwwauth[]=X\nusername=ada\n\n"))
    #expect(try accepts("host=GIT.example.com\nprotocol=https"))
  }

  @Test(
    "has no answer for anything else",
    arguments: [
      "", "\n", "protocol=https\n", "host=git.example.com\n", "protocol=http\nhost=git.example.com\n",
      "protocol=ssh\nhost=git.example.com\n", "protocol=HTTPS\nhost=git.example.com\n",
      "protocol=https\nhost=git.example.com:443\n",
      "protocol=https\nhost=evil.com\n", "protocol=https\nhost=git.example.com.evil.com\n",
      "protocol=https\nhost=x.git.example.com\n",
      "protocol=https\nhost=git.example.com/\n", "protocol=https\nhost=ada@git.example.com\n",
      "protocol=https\nhost= git.example.com\n",
      "protocol=https\n\nhost=git.example.com\n", "url=https://git.example.com\n",
      "Protocol=https\nHost=git.example.com\n",
    ])
  func declines(request: String) throws { #expect(try !accepts(request)) }

  @Test(
    "a request that could be read in two ways is an error that does not quote it",
    arguments: [
      "protocol=https\nhost=evil%0ahost=git.example.com\n", "protocol=https\nhost=git.example.com%0D\n",
      "protocol=https\nhost=git.example.com%00.evil\n", "protocol=https%0a\nhost=git.example.com\n",
      "protocol=https\r\nhost=git.example.com\r\n", "protocol=https\nhost=git.example.com\0evil\n",
      "protocol=https\nhost=evil\nhost=git.example.com\n", "protocol=https\nprotocol=http\nhost=git.example.com\n",
      "protocol=https\nhost=git.example.com\nwwwauth[]=evil\r\n", "evil\nprotocol=https\nhost=git.example.com\n",
      "=evil\nprotocol=https\nhost=git.example.com\n",
    ])
  func refuses(request: String) {
    let failure = helperFailure { _ = try accepts(request) }
    #expect(failure?.status == .failed && failure.map { "\($0)".contains("evil") } == false)
  }

  @Test("with a path, answers for that repository only")
  func path() throws {
    let request = "protocol=https\nhost=git.example.com\n"
    for path in ["ada/app", "ada/app.git"] { #expect(try accepts(request + "path=\(path)\n", path: "ada/app")) }
    for path in [
      "ada/other", "ada/app/", "/ada/app", "ada/app.git.git", "ada", "ADA/app", "ada/app%2f..", "eve/../ada/app",
    ] {
      #expect(try !accepts(request + "path=\(path)\n", path: "ada/app"), "\(path)")
    }
    #expect(try !accepts(request, path: "ada/app"))
    #expect(try !accepts(request + "path=ada/cafe\u{301}\n", path: "ada/caf\u{e9}"))
    #expect(helperFailure { _ = try accepts(request + "path=ada/app%0a\n", path: "ada/app") }?.status == .failed)
  }

  @Test("the answer has the user, the value and, where it is known, the end")
  func answer() throws {
    #expect(try helper().answer(HelperCredential(text: "a=b c")).text == "username=x-access-token\npassword=a=b c\n")
    let end = try HelperCredential(text: "abc", until: Moment(seconds: 1_700_000_000))
    #expect(try helper().answer(end).text == "username=x-access-token\npassword=abc\npassword_expiry_utc=1700000000\n")
  }

  @Test("options that no line can have are wrong usage")
  func options() {
    for name in ["", "a\nb", "a\0"] {
      #expect(helperFailure { _ = try GitHelper(host: try helperHost(), path: nil, username: name) }?.status == .usage)
    }
    for path in ["", "/a", "a/", "a\nb", "a?b", "a#b", "a%0ab"] {
      #expect(
        helperFailure { _ = try GitHelper(host: try helperHost(), path: path, username: "x") }?.status == .usage,
        "\(path)")
    }
  }

  @Test("the configuration ends the list of helpers first, and quotes for git and for the shell")
  func setup() throws {
    let line = try HelperLine(["/bin/keyplan", "helper", "git", "token", "--manifest", #"/a "b"\c/it's.yaml"#])
    let expected = #"""
      # In ~/.gitconfig:
      [credential "https://git.example.com"]
      \#thelper =
      \#thelper = "!/bin/keyplan helper git token --manifest '/a \"b\"\\c/it'\\''s.yaml'"

      """#
    #expect(try helper().setup(line) == expected)
    let scoped = try helper("ada/app").setup(line)
    #expect(scoped.contains("[credential \"https://git.example.com/ada/app\"]"))
    #expect(scoped.contains("[credential \"https://git.example.com/ada/app.git\"]"))
    #expect(scoped.contains("\tuseHttpPath = true\n"))
  }
}
