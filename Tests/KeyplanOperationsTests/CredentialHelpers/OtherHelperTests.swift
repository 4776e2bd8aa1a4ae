import KeyplanModel
import KeyplanOperations
import KeyplanReporting
import KeyplanSecrets
import Testing

@Suite struct DockerHelperTests {
  private func helper(_ name: String = "git.example.com") throws -> DockerHelper {
    try DockerHelper(host: try #require(HelperHost(name)), username: "ci")
  }

  @Test(
    "answers for its registry, as clients write it",
    arguments: ["git.example.com", "git.example.com\n", "https://git.example.com/v2/"])
  func accepts(request: String) throws {
    let server = try #require(try helper().server(in: SecretBox(text: request)))
    #expect(
      try helper().answer(HelperCredential(text: #"a"b\c"#), for: server).text
        == #"{"ServerURL":"\#(server)","Username":"ci","Secret":"a\"b\\c"}"#)
  }

  @Test(
    "has nothing for others",
    arguments: [
      "", "http://git.example.com", "git.example.com:443", "git.example.com/ada", "https://git.example.com/ada",
      "https://git.example.com@evil.com/v2/", "evil.com", "git.example.com.evil.com", "https://git.example.com:5000",
    ])
  func declines(request: String) throws { #expect(try helper().server(in: SecretBox(text: request)) == nil) }

  @Test(
    "a line break or NUL is an error",
    arguments: ["git.example.com\nevil", "git.example.com%0aevil", "evil\r\n", "git.example.com\0"])
  func refuses(request: String) {
    let failure = helperFailure { _ = try helper().server(in: SecretBox(text: request)) }
    #expect(failure?.status == .failed && failure.map { "\($0)".contains("evil") } == false)
  }

  @Test("lists its registry, Docker Hub by its old address")
  func list() throws {
    #expect(try helper().list.text == #"{"git.example.com":"ci"}"#)
    #expect(try helper("index.docker.io").list.text == #"{"https://index.docker.io/v1/":"ci"}"#)
    #expect(try helper("index.docker.io").server(in: SecretBox(text: "https://index.docker.io/v1/")) != nil)
  }
}

@Suite struct AWSHelperTests {
  @Test("has the parts of a key, and the earliest end")
  func parts() throws {
    let helper = try AWSHelper(key: "deploy")
    let end = Moment(seconds: 1_700_000_000)
    var credentials = [
      "deploy.accessKeyId": try HelperCredential(text: "AKIA", until: end),
      "deploy.secretAccessKey": try HelperCredential(text: "s/e+c"),
    ]
    #expect(
      helper.answer(credentials).text
        == #"{"Version":1,"AccessKeyId":"AKIA","SecretAccessKey":"s/e+c","Expiration":"2023-11-14T22:13:20Z"}"#)
    credentials["deploy.accessKeyId"] = try HelperCredential(text: "AKIA")
    credentials["deploy.sessionToken"] = try HelperCredential(text: "tok")
    #expect(
      helper.answer(credentials).text
        == #"{"Version":1,"AccessKeyId":"AKIA","SecretAccessKey":"s/e+c","SessionToken":"tok"}"#)
  }

  @Test("a value in the place of a name is an error that does not quote it")
  func names() {
    let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCY"
    for work in [
      { _ = try AWSHelper(accessKeyId: "id", secretAccessKey: secret, sessionToken: nil) },
      { _ = try AWSHelper(accessKeyId: secret, secretAccessKey: "s", sessionToken: nil) },
      { _ = try AWSHelper(key: secret) },
    ] as [() throws -> Void] {
      let failure = helperFailure(work)
      #expect(failure?.status == .usage && failure.map { "\($0)".contains(secret) } == false)
    }
  }
}

@Suite struct KubernetesHelperTests {
  private func info(
    _ server: String?, version: String = "client.authentication.k8s.io/v1", more: String = ""
  ) -> String {
    let cluster = server.map { #","cluster":{"server":"\#($0)"\#(more)}"# } ?? ""
    return #"{"kind":"ExecCredential","apiVersion":"\#(version)","spec":{"interactive":false\#(cluster)}}"#
  }

  private let helper: KubernetesHelper

  init() throws { helper = KubernetesHelper(host: try helperHost("k8s.example.com:6443")) }

  @Test("answers in the version of the request", arguments: ["v1", "v1beta1"])
  func version(version: String) throws {
    let version = "client.authentication.k8s.io/" + version
    let found = try helper.version(in: info("https://k8s.example.com:6443", version: version))
    #expect(found == version)
    #expect(
      try helper.answer(HelperCredential(text: "abc", until: Moment(seconds: 1_700_000_000)), version: found).text
        == #"{"apiVersion":"\#(version)","kind":"ExecCredential","status":{"token":"abc","expirationTimestamp":"2023-11-14T22:13:20Z"}}"#
    )
    #expect(
      try helper.answer(HelperCredential(text: "abc"), version: found).text.hasSuffix(#""status":{"token":"abc"}}"#))
  }

  @Test(
    "has no answer for another cluster, and does not quote it",
    arguments: [
      "https://evil.com:6443", "http://k8s.example.com:6443", "https://k8s.example.com",
      "https://k8s.example.com:6443@evil.com",
      "https://k8s.example.com:6443%0a.evil.com", "https://k8s.example.com:6443\\nevil",
      "https://k8s.example.com:6443\\u0000evil", "",
    ])
  func declines(server: String) {
    let failure = helperFailure { _ = try helper.version(in: info(server)) }
    #expect(failure?.status == .failed && failure.map { "\($0)".contains("evil") } == false)
  }

  @Test("needs to know the cluster, and that it is verified")
  func cluster() {
    #expect(helperFailure { _ = try helper.version(in: info(nil)) }?.hint?.contains("provideClusterInfo") == true)
    let unverified = info("https://k8s.example.com:6443", more: #","insecure-skip-tls-verify":true"#)
    #expect(helperFailure { _ = try helper.version(in: unverified) }?.summary == "Cluster is not verified")
    let verified = info("https://k8s.example.com:6443", more: #","insecure-skip-tls-verify":false"#)
    #expect(helperFailure { _ = try helper.version(in: verified) } == nil)
  }

  @Test(
    "a request that is not one is an error",
    arguments: [nil, "", "{", "[]", #"{"apiVersion":"client.authentication.k8s.io/v1alpha1"}"#])
  func malformed(info: String?) {
    #expect(helperFailure { _ = try helper.version(in: info) }?.summary == "Malformed request")
  }

  @Test("reads at most 64 KiB")
  func bounded() {
    let long = info("https://k8s.example.com:6443", more: #","config":""# + String(repeating: "x", count: 65536) + "\"")
    #expect(helperFailure { _ = try helper.version(in: long) }?.detail.contains("64 KiB") == true)
  }
}

@Suite struct HeadersHelperTests {
  @Test("has one header, with Bearer in Authorization")
  func answer() throws {
    let credential = try HelperCredential(text: #"a"b"#)
    func text(_ header: String, _ prefix: String? = nil) throws -> String {
      try HeadersHelper(host: try helperHost(), header: header, prefix: prefix).answer(credential).text
    }
    #expect(try text("Authorization") == #"{"Authorization":"Bearer a\"b"}"#)
    #expect(try text("authorization", "Basic ") == #"{"authorization":"Basic a\"b"}"#)
    #expect(try text("Authorization", "") == #"{"Authorization":"a\"b"}"#)
    #expect(try text("X-Api-Key") == #"{"X-Api-Key":"a\"b"}"#)
    #expect(HeadersHelper.nothing.text == "{}")
  }

  @Test("compares the server's host, where the client names it")
  func server() throws {
    let helper = try HeadersHelper(host: try helperHost(), header: "Authorization", prefix: nil)
    #expect(try helper.accepts(server: nil) && helper.accepts(server: "https://git.example.com/mcp"))
    for server in [
      "http://git.example.com/", "https://git.example.com:8443/", "https://git.example.com@evil.com/",
      "git.example.com", "https://evil.com/https://git.example.com",
    ] {
      #expect(try !helper.accepts(server: server), "\(server)")
    }
    #expect(helperFailure { _ = try helper.accepts(server: "https://git.example.com/%0d%0aX") }?.status == .failed)
  }

  @Test(
    "a header's name and prefix are one line",
    arguments: [("", nil), ("A:", nil), ("A B", nil), ("A\r\nB", nil), ("A", "x\r\nB: "), ("Ä", nil)])
  func options(header: String, prefix: String?) {
    #expect(
      helperFailure { _ = try HeadersHelper(host: try helperHost(), header: header, prefix: prefix) }?.status == .usage)
  }
}

@Suite struct KeyringHelperTests {
  private func accepts(_ words: String..., user: String? = nil, bare: Bool = false) throws -> Bool {
    try KeyringHelper(host: try helperHost(), username: user, allowsBareHost: bare).accepts(words)
  }

  @Test("answers for https URLs of its host, and for its user")
  func accepts() throws {
    #expect(try accepts("get", "https://git.example.com/simple/", "ada"))
    #expect(try accepts("get", "https://git.example.com", "ada", user: "ada"))
    #expect(try !accepts("get", "https://git.example.com", "eve", user: "ada"))
    #expect(
      try KeyringHelper(host: try helperHost(), username: nil, allowsBareHost: false).answer(
        HelperCredential(text: "abc")
      ).text == "abc\n")
  }

  @Test("answers for a bare host only where that was allowed: nothing says that it is sent over https")
  func bare() throws {
    #expect(try !accepts("get", "git.example.com", "ada"))
    #expect(try accepts("get", "git.example.com", "ada", bare: true))
    for service in ["git.example.com:443", "evil.com", "http://git.example.com/"] {
      #expect(try !accepts("get", service, "ada", bare: true), "\(service)")
    }
  }

  @Test(
    "has nothing for anything else",
    arguments: [
      [], ["get"], ["get", "https://git.example.com/"], ["set", "https://git.example.com/", "ada"],
      ["del", "https://git.example.com/", "ada"], ["get", "http://git.example.com/", "ada"],
      ["get", "https://ada@git.example.com/", "ada"], ["get", "https://git.example.com.evil.com/", "ada"],
      ["get", "--host=evil.com", "ada"], ["--mode", "creds", "get", "https://git.example.com/"],
    ])
  func declines(words: [String]) throws {
    #expect(try !KeyringHelper(host: try helperHost(), username: nil, allowsBareHost: false).accepts(words))
  }

  @Test("a line break or NUL is an error")
  func refuses() {
    #expect(helperFailure { _ = try accepts("get", "https://git.example.com/%0aevil", "ada") }?.status == .failed)
    #expect(helperFailure { _ = try accepts("get", "https://git.example.com/", "ada\neve") }?.status == .failed)
  }

  @Test("the script passes the program's words after --, so that none becomes an option")
  func script() throws {
    let helper = try KeyringHelper(host: try helperHost(), username: nil, allowsBareHost: false)
    #expect(
      helper.setup(try HelperLine(["keyplan", "helper", "keyring", "t"])).contains(
        "exec keyplan helper keyring t -- \"$@\"\n"))
  }
}

@Suite struct HelperLineTests {
  @Test("has no control characters, which not every configuration can have")
  func refused() { #expect(helperFailure { _ = try HelperLine(["a", "b\nc"]) }?.status == .usage) }
}
