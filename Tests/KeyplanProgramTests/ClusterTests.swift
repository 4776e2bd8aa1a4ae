import Foundation
import TestTools
import Testing

/// The whole program with the fake API server of Kubernetes, through the user's kubeconfig.
@Suite("A key in a cluster") struct ClusterTests {
  private static let value = "kp-canary-51c0ffee"
  private let sandbox: ProgramSandbox
  private let server: FixtureServer
  private let certificates: Scratch
  private let address: String

  init() throws {
    let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "KeyplanRemoteTests/Fixtures")
    certificates = try Scratch()
    try #require(try Child.run([fixtures.appending(path: "make-certificates.sh").path, certificates.path]) == 0)
    server = try FixtureServer([fixtures.appending(path: "kubernetes.py").path, certificates.path])
    let ports = try JSONDecoder().decode([String: Int].self, from: server.greeting)
    address = "http://127.0.0.1:\(try #require(ports["http"]))/i/program"
    sandbox = try ProgramSandbox()
    let config = """
      contexts:
      - { name: prod, context: { cluster: main, user: ci } }
      - { name: staging, context: { cluster: main, user: ci } }
      clusters: [{ name: main, cluster: { server: "\(address)" } }]
      users: [{ name: ci, user: { token: good } }]
      """
    sandbox.variables["KUBECONFIG"] = try certificates.write(config, to: "config")
    sandbox.variables["CLAUDE_VALUE"] = Self.value
    sandbox.variables["COLUMNS"] = "300"
    try declare("prod")
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)
  }

  private func declare(_ context: String?) throws {
    let target = context.map {
      "cluster: { type: kubernetes, context: \($0), namespace: shop, name: api-keys, keys: { anthropic: claude } }"
    }
    try sandbox.write(
      """
      version: 1
      keys: { claude: { provider: generic, variable: CLAUDE, source: env://CLAUDE_VALUE } }
      targets: { \(target ?? "") }
      """, to: "keyplan.yaml")
  }

  private func requests() throws -> String {
    let script = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
    return try sandbox.start(["python3", "-c", script, address + "/_/requests"]).wait().out
  }

  @Test func `is written without a declared connection, and withdrawn when nothing declares it`() throws {
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("may contact") && plan.out.contains("with context prod"), "\(plan.out)")
    #expect(try requests().contains("[]"), "nothing is sent before it was allowed")
    let applied = try sandbox.keyplan("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(try sandbox.keyplan("plan").out.contains("No changes"))
    #expect(try sandbox.keyplan("drift").code == 0)
    #expect(try !requests().contains("DELETE"))
    try declare(nil)
    let withdrawn = try sandbox.keyplan("apply", "--yes")
    #expect(withdrawn.code == 0 && withdrawn.out.contains("1 name removed"), "\(withdrawn.out)")
    #expect(withdrawn.out.contains("no longer allowed"))
    #expect(try requests().contains("DELETE"))
    #expect(try sandbox.keyplan("plan").out.contains("No changes"))
  }

  @Test func `is not looked for through another context before that was allowed`() throws {
    #expect(try sandbox.keyplan("apply", "--yes").code == 0)
    _ = try requests()
    try declare("staging")
    let plan = try sandbox.keyplan("plan")
    #expect(plan.out.contains("with context staging") && plan.out.contains("no longer context prod"), "\(plan.out)")
    #expect(try requests().contains("[]"))
  }
}
