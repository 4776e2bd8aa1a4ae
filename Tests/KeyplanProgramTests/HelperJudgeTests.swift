import Foundation
import Testing

/// The same for programs that are large, or not in every Debian: kubectl, of the large clients of services, and Skopeo.
@Suite("Other programs that know credential helpers", .timeLimit(.minutes(40)))
struct HelperJudgeTests {
  private static let token = HelperHosts.token
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_JUDGES"]
  private static let haveClients = python.map { FileManager.default.isExecutableFile(atPath: $0) } ?? false
  private static let haveSkopeo = FileManager.default.isExecutableFile(atPath: "/usr/bin/skopeo")

  /// A program beside the Python of the large clients.
  private func client(_ name: String) throws -> String {
    URL(filePath: try #require(Self.python)).deletingLastPathComponent().appending(path: name).path
  }

  @Test(
    "kubectl sends a token to its cluster, and none to another one",
    .enabled(
      if: haveClients,
      "run scripts/setup-judges.sh, and set KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"))
  func kubectl() throws {
    let hosts = try HelperHosts()
    try hosts.serve(#"{"major":"1"}"#, at: "version")
    let setup = try hosts.project.setup("kubernetes", "token", "--host", hosts.own)
    func config(_ server: String, _ more: String = "certificate-authority: cert.pem") -> String {
      """
      apiVersion: v1
      kind: Config
      clusters: [{ name: c, cluster: { server: "\(server)", \(more) } }]
      contexts: [{ name: c, context: { cluster: c, user: token } }]
      current-context: c

      """ + setup
    }
    let file = hosts.folder + "/kubeconfig"
    func run(_ config: String) throws -> ProgramRun.Answer {
      try hosts.project.write(config, to: file)
      return try hosts.project.run([try client("kubectl"), "--kubeconfig", file, "get", "--raw", "/version"])
    }
    for version in ["v1", "v1beta1"] {
      let answer = try run(config("https://\(hosts.own)").replacing("k8s.io/v1", with: "k8s.io/\(version)"))
      #expect(answer.code == 0 && answer.out.contains("major"), "\(version): \(answer)")
    }
    #expect(hosts.told() == [0])
    for refused in [
      config("https://\(hosts.other)"), config("https://127.0.0.1:\(hosts.own.split(separator: ":")[1])"),
      config("https://\(hosts.own)", "insecure-skip-tls-verify: true"),
      config("https://\(hosts.own)").replacing("provideClusterInfo: true", with: "provideClusterInfo: false"),
    ] {
      let answer = try run(refused)
      #expect(answer.code != 0 && !(answer.out + answer.err).contains(Self.token), "\(answer)")
    }
    #expect(hosts.told() == [0])
  }

  @Test(
    "Skopeo sends a password to its registry, and none to another one",
    .enabled(if: haveSkopeo, "needs Skopeo: apt-get install skopeo"))
  func skopeo() throws {
    let hosts = try HelperHosts()
    try hosts.serve("{}", at: "v2/index.html")
    try hosts.serve(#"{"name":"app","tags":["one"]}"#, at: "v2/app/tags/list")
    let setup = try hosts.project.setup("docker", "token", "--host", hosts.own, "--username", "ci")
    try hosts.project.write(
      try hosts.project.part(after: "file docker-credential-keyplan-token", of: setup),
      to: hosts.project.sandbox.root + "/bin/docker-credential-keyplan-token", executable: true)
    let own = try hosts.project.part(after: "config.json", of: setup)
    let file = hosts.folder + "/auth.json"
    try hosts.project.write(
      own.replacing("\"\(hosts.own)\"", with: "\"\(hosts.other)\": \"keyplan-token\", \"\(hosts.own)\""),
      to: file)
    try hosts.project.write(
      try String(contentsOfFile: hosts.certificate, encoding: .utf8), to: hosts.folder + "/ca/ca.crt")
    func tags(_ host: String) throws -> ProgramRun.Answer {
      try hosts.project.run(
        ["skopeo", "list-tags", "--cert-dir", hosts.folder + "/ca", "docker://\(host)/app"],
        variables: ["REGISTRY_AUTH_FILE": file])
    }
    let listed = try tags(hosts.own)
    #expect(listed.code == 0 && listed.out.contains("one"), "\(listed)")
    let other = try tags(hosts.other)
    #expect(other.code != 0 && !(other.out + other.err).contains(Self.token), "\(other)")
    #expect(hosts.told() == [0] && hosts.wasAsked(1))
  }
}
