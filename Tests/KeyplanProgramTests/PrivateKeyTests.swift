import Foundation
import Testing

/// OpenSSH does not read a private key without the line break at its end.
@Suite("A private key of several lines")
struct PrivateKeyTests {
  private let sandbox: ProgramSandbox

  init() throws {
    sandbox = try ProgramSandbox()
    try #require(try sandbox.start(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "deploy"]).wait().code == 0)
    try sandbox.write(
      """
      version: 1
      keys:
        deploy: { provider: generic, variable: DEPLOY_KEY, source: file://deploy }
      targets:
        json: { type: json, path: t.json, keys: { deploy: deploy } }
        yaml: { type: yaml, path: t.yaml, keys: { deploy: deploy } }
        dotenv: { type: dotenv, path: t.env, keys: { DEPLOY_KEY: deploy } }
        file: { type: file, path: t.pem, keys: { content: deploy } }

      """, to: "keyplan.yaml")
    try #require(try sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
  }

  private var original: [UInt8]? { sandbox.content(of: "deploy") }

  @Test("is given to ssh-add in a pipe, and arrives in files as it was")
  func arrives() throws {
    let added = try sandbox.start(["ssh-agent", "sh", "-c", "'\(Shell.program)' get deploy | ssh-add -"]).wait()
    #expect(added.code == 0 && added.err.contains("Identity added"), "\(added.out)\(added.err)")
    #expect(try Array(sandbox.keyplan("get", "deploy").out.utf8) == original)
    #expect(sandbox.content(of: "t.pem") == original)
    let json = try JSONDecoder().decode([String: String].self, from: Data(sandbox.content(of: "t.json") ?? []))
    #expect(json["deploy"].map { Array($0.utf8) } == original)
    let shell = try sandbox.start([
      "sh", "-c", ". ./t.env; printf %s \"$DEPLOY_KEY\" >from-env; ssh-keygen -y -f from-env",
    ])
    _ = shell.wait()
    #expect(sandbox.content(of: "from-env") == original)
    let given = try sandbox.keyplan("run", "--", "sh", "-c", "printf %s \"$DEPLOY_KEY\"")
    #expect(Array(given.out.utf8) == original)
  }

  @Test("is the same without that line break, wherever it is dropped")
  func same() throws {
    let bytes = try #require(original)
    try sandbox.write(Array(bytes.dropLast()), to: "deploy")
    try sandbox.write(Array(bytes.dropLast()), to: "t.pem")
    let text = String(decoding: bytes.dropLast(), as: UTF8.self).replacingOccurrences(of: "\n", with: "\\n")
    try sandbox.write("{\"deploy\": \"\(text)\"}\n", to: "t.json")
    let plan = try sandbox.keyplan("plan", "--detailed-exitcode")
    #expect(plan.code == 0, "\(plan.out)\(plan.err)")
    let drift = try sandbox.keyplan("drift")
    #expect(drift.code == 0 && drift.out.contains("agree"), "\(drift.out)\(drift.err)")
    try sandbox.write("{\"deploy\": \"\(text)x\"}\n", to: "t.json")
    #expect(try sandbox.keyplan("drift").code == 2)
  }
}
