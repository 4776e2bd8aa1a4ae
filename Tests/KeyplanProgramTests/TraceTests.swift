import Foundation
import PostgresForTests
import Testing

/// Traces of commands, as a collector with OpenTelemetry's own messages understands them.
@Suite("A trace", .enabled(if: AccountPeer.python != nil, "run make setup-test, and set KEYPLAN_TEST_PYTHON"))
struct TraceTests {
  private struct Received: Decodable {
    let path, team, fault, body: String
    let spans: [Span]

    struct Span: Decodable {
      let name, trace, id, parent, reason, subject, code, service: String
      let status: Int
    }
  }

  private static let parent = "4bf92f3577b34da6a3ce929d0e0e4736"

  /// Starts a collector for a project's commands.
  private func collect(in sandbox: ProgramSandbox, _ status: String = "200") throws -> ProgramRun {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/collector.py").path
    let run = try sandbox.start([try #require(AccountPeer.python), script, "\(sandbox.root)/traces", status])
    let deadline = Deadline()
    while !run.out.hasSuffix("\n") { try #require(!deadline.isOver && !run.hasEnded, "\(run.err)") }
    return run
  }

  /// The port is known only once the collector runs.
  private func project() throws -> (WatchProject, ProgramSandbox, ProgramRun) {
    let project = try WatchProject()
    let collector = try collect(in: project.sandbox)
    let sandbox = project.sandbox
    let port = collector.out.trimmingCharacters(in: .whitespacesAndNewlines)
    sandbox.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:\(port)"
    sandbox.variables["OTEL_EXPORTER_OTLP_HEADERS"] = "x-team=canary-team"
    sandbox.variables["TRACEPARENT"] = "00-\(Self.parent)-00f067aa0ba902b7-01"
    return (project, sandbox, collector)
  }

  private func received(_ sandbox: ProgramSandbox) throws -> [Received] {
    guard let bytes = FileManager.default.contents(atPath: "\(sandbox.root)/traces") else { return [] }
    return try bytes.split(separator: 0x0A).map { try JSONDecoder().decode(Received.self, from: Data($0)) }
  }

  @Test("has the command, what it asks and its steps, in the trace of whoever called it, and no value")
  func applied() throws {
    let (project, sandbox, collector) = try project()
    defer { kill(collector.process, SIGTERM) }
    try project.set("one", to: "canary-changed")
    let answer = try sandbox.start([Shell.program, "apply", "--yes"]).wait()
    #expect(answer.code == 0 && !answer.err.contains("Traces"), "\(answer)")
    let requests = try received(sandbox)
    let request = try #require(requests.first)
    #expect(requests.count == 1 && request.fault == "" && request.path == "/v1/traces" && request.team == "canary-team")
    #expect(!request.body.contains("canary-changed"))
    let root = try #require(request.spans.first { $0.name == "keyplan apply" })
    #expect(root.parent == "00f067aa0ba902b7" && root.code == "0" && root.status == 0 && root.service == "keyplan")
    #expect(request.spans.allSatisfy { $0.trace == Self.parent })
    let parts = request.spans.filter { $0.id != root.id }
    #expect(parts.allSatisfy { $0.parent == root.id && $0.status == 0 })
    #expect(Set(request.spans.map(\.id)).count == request.spans.count)
    #expect(parts.contains { $0.name == "asking" && $0.subject == "2 file sources" }, "\(parts)")
    #expect(parts.contains { $0.name == "replacing" && $0.subject == "key.one" }, "\(parts)")
  }

  @Test("says what failed, and the exit code")
  func failed() throws {
    let (project, sandbox, collector) = try project()
    defer { kill(collector.process, SIGTERM) }
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    let target = "targets:\n  app: { type: dotenv, path: folder/.env, keys: { ONE: one } }\n"
    try sandbox.write(manifest.replacing("active:\n", with: target + "active:\n"), to: "keyplan.yaml")
    try FileManager.default.createDirectory(atPath: sandbox.project + "/folder", withIntermediateDirectories: true)
    let planned = try sandbox.start([Shell.program, "plan", "--out", "saved.plan"]).wait()
    #expect(planned.code == 0, "\(planned)")
    // Between the plan and its apply the target becomes another thing.
    try sandbox.write("ONE=somebody-else\n", to: "folder/.env")
    let answer = try sandbox.start([Shell.program, "apply", "saved.plan"]).wait()
    #expect(answer.code != 0, "\(answer)")
    let requests = try received(sandbox)
    #expect(requests.count == 2 && requests.allSatisfy { $0.fault == "" })
    let root = try #require(requests.last?.spans.first { $0.name == "keyplan apply" })
    #expect(root.status == 2 && root.code == "\(answer.code)" && root.reason == "exit code \(answer.code)")
    _ = project
  }

  @Test("is handed on to the commands of sources")
  func handedOn() throws {
    let (_, sandbox, collector) = try project()
    defer { kill(collector.process, SIGTERM) }
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    let source = "{ command: [sh, -c, \"printf %s \\\"$TRACEPARENT\\\" >seen; echo value\"], directory: . }"
    try sandbox.write(manifest.replacing("source: file://one", with: "source: \(source)"), to: "keyplan.yaml")
    let answer = try sandbox.start([Shell.program, "apply", "--yes"]).wait()
    #expect(answer.code == 0, "\(answer)")
    let root = try #require(received(sandbox).last?.spans.first { $0.name == "keyplan apply" })
    let seen = sandbox.content(of: "seen").map { String(decoding: $0, as: UTF8.self) }
    #expect(seen == "00-\(Self.parent)-\(root.id)-01")
  }

  @Test("that cannot be sent is a warning, and changes nothing else; one that its caller does not record is not sent")
  func unsent() throws {
    let (project, sandbox, first) = try project()
    sandbox.variables["TRACEPARENT"] = "00-\(Self.parent)-00f067aa0ba902b7-00"
    #expect(try sandbox.start([Shell.program, "plan"]).wait().code == 0)
    #expect(try received(sandbox).isEmpty)
    sandbox.variables["TRACEPARENT"] = "nonsense"
    kill(first.process, SIGTERM)
    _ = first.wait()
    let answer = try sandbox.start([Shell.program, "plan"]).wait()
    #expect(answer.code == 0 && answer.err.contains("warning: Traces not sent"), "\(answer)")
    sandbox.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://collector.example.com:4318"
    let refused = try sandbox.start([Shell.program, "plan"]).wait()
    #expect(refused.code == 0 && refused.err.contains("warning: No traces"), "\(refused)")
    let collector = try collect(in: sandbox, "400")
    defer { kill(collector.process, SIGTERM) }
    let port = collector.out.trimmingCharacters(in: .whitespacesAndNewlines)
    sandbox.variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:\(port)"
    let rejected = try sandbox.start([Shell.program, "plan"]).wait()
    #expect(rejected.code == 0 && rejected.err.contains("answered with status 400"), "\(rejected)")
    _ = project
  }
}
