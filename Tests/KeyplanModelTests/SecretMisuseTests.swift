import Foundation
import TestTools
import Testing

/// Code that would show a secret, given to the compiler together with the module's own.
struct SecretMisuseTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  private static func sources(_ module: String) throws -> [String] {
    let folder = root.appending(path: "Sources/\(module)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).map { folder.appending(path: $0).path }
      .sorted()
  }

  private static func swiftc(
    _ module: String, _ options: [String], _ files: [String]
  ) throws -> (status: Int32, text: String) {
    let answer = try Child.answer(
      ["swiftc", "-swift-version", "6", "-package-name", "keyplan", "-module-name", module, "-wmo"] + options + files,
      errors: true)
    return (answer.status, answer.text)
  }

  /// The compiler's answer to a function that is handed a secret.
  private func compile(_ body: String) throws -> (code: Int32, words: String) {
    let scratch = try Scratch()
    let file = scratch["Misuse.swift"]
    try Data("func misuse(_ secret: consuming Secret) {\n  \(body)\n}\n".utf8).write(to: URL(filePath: file))
    // The only other module that it imports.
    let codecs = scratch["KeyplanCodecs.swiftmodule"]
    let built = try Self.swiftc(
      "KeyplanCodecs", ["-parse-as-library", "-emit-module", "-emit-module-path", codecs],
      try Self.sources("KeyplanCodecs"))
    try #require(built.status == 0, "\(built.text)")
    let modules = URL(filePath: codecs).deletingLastPathComponent().path
    let answer = try Self.swiftc(
      "KeyplanSecrets", ["-I", modules, "-emit-sil", "-o", "/dev/null"], try Self.sources("KeyplanSecrets") + [file])
    return (answer.status, answer.text)
  }

  @Test("what uses a secret properly compiles")
  func proper() throws {
    let answer = try compile("print(secret.count, secret.withBytes { $0.count })\n  _ = SecretBox(secret)")
    #expect(answer.code == 0, "\(answer.words)")
  }

  @Test(
    "a secret cannot be printed, copied, collected, described, reflected or encoded: it does not compile",
    arguments: [
      "print(secret)", #"_ = "\(secret)""#, "dump(secret)", "debugPrint(secret)", "_ = String(describing: secret)",
      "_ = String(reflecting: secret)", "_ = Mirror(reflecting: secret)", "_ = [secret]",
      "let any: Any = secret; _ = any",
      "let one = secret; let two = secret; _ = one.count + two.count", "fatalError(\"\\(secret)\")",
    ])
  func misuse(body: String) throws {
    let answer = try compile(body)
    #expect(answer.code != 0)
    #expect(answer.words.contains("/Misuse.swift:"), "\(answer.words)")
  }
}
