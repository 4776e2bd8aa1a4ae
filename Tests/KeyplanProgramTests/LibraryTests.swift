import Foundation
import Testing

/// The library, by the program of `examples/library`.
@Suite("Library") struct LibraryTests {
  private static let manifest = """
    version: 1
    keys:
      openai-main: { provider: openai, source: env://LIBRARY_TEST_KEY }
    active: openai-main
    targets:
      app: { type: dotenv, path: .env.local, keys: { OPENAI_API_KEY: active.default } }
    """

  @Test("another program opens, plans, applies and finds no drift, then finds what was changed outside")
  func example() throws {
    let sandbox = try ProgramSandbox()
    sandbox.variables["LIBRARY_TEST_KEY"] = "sk-proj-0123456789abcdef0123456789abcdef"
    #expect(try sandbox.keyplan("init").code == 0)
    try sandbox.write(
      String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
        .replacing("keys: {}", with: Self.manifest.components(separatedBy: "version: 1\n")[1]),
      to: "keyplan.yaml")

    let first = try run(in: sandbox)
    #expect(first.code == 0, "\(first)")
    #expect(first.out.contains("openai-main") && first.out.contains("target.app: done"), "\(first)")
    #expect(first.out.hasSuffix("No drift.\n"), "\(first)")
    #expect(first.err.isEmpty, "\(first)")
    #expect(!first.out.contains("sk-proj"), "\(first)")
    #expect(sandbox.content(of: ".env.local").map { String(decoding: $0, as: UTF8.self) }?.contains("sk-proj") == true)
    #expect(try sandbox.keyplan("plan", "--detailed-exitcode").code == 0)

    try sandbox.write("OPENAI_API_KEY=another\n", to: ".env.local")
    let second = try run(in: sandbox)
    #expect(second.code == 0, "\(second)")
    #expect(second.out.contains("target.app: done") && second.out.hasSuffix("No drift.\n"), "\(second)")
  }

  @Test("errors have the program's exit code, and their places")
  func errors() throws {
    let sandbox = try ProgramSandbox()
    #expect(try run(in: sandbox).code == 1)
    try sandbox.write("version: 1\nkeys: { a: { provider: openai, sourc: env://A } }\n", to: "keyplan.yaml")
    let answer = try run(in: sandbox)
    #expect(answer.code == 1)
    #expect(answer.out.contains("error: Manifest has errors") && answer.out.contains("keyplan.yaml:2:"), "\(answer)")
  }

  private func run(in sandbox: ProgramSandbox) throws -> ProgramRun.Answer {
    let program = URL(filePath: Shell.program).deletingLastPathComponent().appending(path: "keyplan-example").path
    return try sandbox.start([program, "keyplan.yaml", sandbox.identity]).wait()
  }
}
