import Foundation
import TestTools
import Testing

/// What `keyplan generate` writes is compiled and used.
@Suite("keyplan generate")
struct GenerateTests {
  /// Every keyword of the three languages that can be a name, and names that are no identifiers as they are.
  private static let keys = [
    "actor", "any", "as", "assert", "associatedtype", "async", "await", "boolean", "borrowing", "break", "case",
    "catch",
    "class", "const", "constructor", "consuming", "continue", "copy", "debugger", "def", "default", "defer", "deinit",
    "del",
    "delete", "discard", "distributed", "do", "dynamic", "each", "elif", "else", "enum", "eval", "except", "export",
    "extends",
    "extension", "fallthrough", "false", "fileprivate", "final", "finally", "for", "from", "func", "function", "get",
    "global",
    "guard", "if", "implements", "import", "in", "indirect", "infix", "init", "inout", "instanceof", "interface",
    "internal",
    "is", "isolated", "lambda", "lazy", "let", "macro", "mro", "mutating", "name", "namespace", "new", "nil", "none",
    "nonisolated", "nonlocal", "not", "null", "number", "object", "of", "open", "operator", "optional", "or",
    "override",
    "package", "pass", "postfix", "precedencegroup", "prefix", "private", "protocol", "prototype", "public", "raise",
    "raw-value", "repeat", "required", "rethrows", "return", "self", "sending", "set", "some", "static", "string",
    "struct",
    "subscript", "super", "switch", "symbol", "then", "this", "throw", "throws", "to-string", "true", "try", "type",
    "typealias", "typeof", "undefined", "unowned", "unsafe", "value", "var", "void", "weak", "where", "while",
    "will-set",
    "with", "yield", "2captcha", "4", "a-1", "openai-main", "hash-value", "proto", "value-of",
  ]

  private func sandbox() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    sandbox.variables["PATH"] = ProcessInfo.processInfo.environment["PATH"]
    let keys = Self.keys.map { "  \"\($0)\": { provider: generic }\n" }.joined()
    try sandbox.write(
      "version: 1\nkeys:\n\(keys)active: { default: openai-main, self: [\"2captcha\", openai-main] }\n",
      to: "keyplan.yaml")
    return sandbox
  }

  /// Runs a program of the machine in the sandbox, which must succeed.
  private func must(_ sandbox: ProgramSandbox, _ words: String...) throws -> String {
    let answer = try sandbox.start(["/usr/bin/env"] + words).wait()
    try #require(answer.code == 0, "\(words): \(answer.out)\(answer.err)")
    return answer.out
  }

  @Test(
    "writes Swift that compiles against KeyplanReader, in which no other name does",
    arguments: ["public", "package", "internal"])
  func swift(access: String) throws {
    let sandbox = try sandbox()
    let written = try sandbox.keyplan("generate", "swift", "--access", access, "--out", "Names.swift")
    #expect(written.code == 0 && written.out == "" && written.err == "", "\(written)")
    let build = URL(filePath: Shell.program).deletingLastPathComponent()
    let modules = build.appending(path: "Modules").path
    // A package that depends on KeyplanReader gives this to the compiler.
    let files = build.appending(path: "CFiles.build/module.modulemap").path
    func check(_ use: String) throws -> ProgramRun.Answer {
      try sandbox.write("import KeyplanReader\nlet used: (APIKeyName, SlotName) = (\(use))\n", to: "Use.swift")
      return try sandbox.start([
        "/usr/bin/env", "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-package-name", "app",
        "-parse-as-library", "-module-name", "App", "-I", modules, "-Xcc", "-fmodule-map-file=\(files)", "Names.swift",
        "Use.swift",
      ]).wait()
    }
    let all = Self.keys.count
    let names = String(decoding: try #require(sandbox.content(of: "Names.swift")), as: UTF8.self)
    #expect(names.components(separatedBy: "= APIKeyName(").count == all + 1)
    let good = try check(".openaiMain, .`self`")
    #expect(good.code == 0, "\(good.err)")
    let bad = try check(".openaiMian, .`default`")
    #expect(bad.code != 0 && bad.err.contains("has no member 'openaiMian'"), "\(bad.err)")
  }

  @Test("writes Python that compiles, and whose members are the names")
  func python() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("generate", "python", "--out", "key_names.py").code == 0)
    let program = """
      import key_names
      print("\\n".join(key_names.APIKeyName))
      print(f"{key_names.SlotName.SELF}", key_names.APIKeyName._2CAPTCHA == "2captcha")
      """
    _ = try must(sandbox, "python3", "-m", "py_compile", "key_names.py")
    let out = try must(sandbox, "python3", "-c", program).split(separator: "\n").map(String.init)
    #expect(out.dropLast() == Self.keys.sorted()[...] && out.last == "self True", "\(out)")
  }

  @Test(
    "writes TypeScript that compiles, and in which no other name does",
    .enabled(if: Self.has("tsc"), "SKIPPED: tsc is not installed (Debian: node-typescript)"))
  func typescript() throws {
    let sandbox = try sandbox()
    #expect(try sandbox.keyplan("generate", "typescript", "--out", "names.ts").code == 0)
    try sandbox.write(
      """
      import { APIKeyName, SlotName } from "./names";
      const one: APIKeyName = APIKeyName.openaiMain;
      const slot: SlotName = "self";
      console.log(Object.values(APIKeyName).join("\\n"), one, slot);

      """, to: "good.ts")
    _ = try must(
      sandbox, "tsc", "--strict", "--lib", "es2020,dom", "--target", "es2020", "--module", "commonjs", "good.ts")
    let out = try must(sandbox, "node", "good.js").split(separator: "\n").map(String.init)
    #expect(out.count == Self.keys.count && out.last?.hasSuffix(" openai-main self") == true, "\(out)")
    try sandbox.write(
      "import { APIKeyName } from \"./names\";\nexport const one: APIKeyName = \"openai-mian\";\n", to: "bad.ts")
    let bad = try sandbox.start(["/usr/bin/env", "tsc", "--strict", "--noEmit", "--lib", "es2020", "bad.ts"]).wait()
    #expect(bad.code != 0 && bad.out.contains("is not assignable to type"), "\(bad)")
  }

  private static func has(_ program: String) -> Bool {
    (try? Child.run(["sh", "-c", "command -v \(program) >/dev/null"])) == 0
  }

  @Test("says whether a file is up to date, writes it only then, and does not replace anything else")
  func check() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write("version: 1\nkeys: { one: { provider: generic } }\n", to: "keyplan.yaml")
    let words = ["generate", "python", "--out", "names.py"]
    func run(_ more: String...) throws -> ProgramRun.Answer { try sandbox.start([Shell.program] + words + more).wait() }
    #expect(try run("--check").code == 2)
    #expect(sandbox.content(of: "names.py") == nil)
    #expect(try run().code == 0)
    #expect(try run("--check").code == 0)
    let path = sandbox.project + "/names.py"
    var before = stat()
    #expect(stat(path, &before) == 0 && before.st_mode & 0o777 == 0o644)
    #expect(try run().code == 0)
    var after = stat()
    #expect(stat(path, &after) == 0 && after.st_ino == before.st_ino)
    try sandbox.write("version: 1\nkeys: { two: { provider: generic } }\n", to: "keyplan.yaml")
    let stale = try run("--check")
    #expect(stale.code == 2 && stale.out.contains("Not up to date: names.py."), "\(stale)")
    #expect(try run("--check", "--quiet").out == "")
    try sandbox.write("# by hand\n", to: "names.py")
    let foreign = try run()
    #expect(foreign.code == 64 && foreign.err.contains("names.py exists and is not generated by keyplan"), "\(foreign)")
    #expect(sandbox.content(of: "names.py") == Array("# by hand\n".utf8))
  }

  @Test("needs no store, no identity and no choice of an environment, and reads the one that is chosen")
  func alone() throws {
    let sandbox = try ProgramSandbox()
    try sandbox.write(
      "version: 1\nstore: postgres://127.0.0.1:1/none\nkeys: { one: { provider: generic } }\n", to: "keyplan.yaml")
    try sandbox.write("keys: { two: { provider: generic } }\n", to: "keyplan.staging.yaml")
    sandbox.variables["KEYPLAN_CHECKOUT"] = "untrusted"
    let base = try sandbox.keyplan("generate", "python")
    #expect(base.code == 0 && base.out.contains("ONE = ") && !base.out.contains("TWO"), "\(base)")
    let staging = try sandbox.keyplan("generate", "python", "-e", "staging")
    #expect(staging.code == 0 && staging.out.contains("TWO = "), "\(staging)")
    #expect(!sandbox.files().contains { $0.hasPrefix("home/.") }, "\(sandbox.files())")
  }
}
