import Foundation
import TestTools
import Testing

/// Code that would show a secret, given to the compiler together with the module's own.
struct SecretMisuseTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// The compiler's answer to a function that is handed a secret.
  private func compile(_ body: String) throws -> (code: Int32, words: String) {
    let scratch = try Scratch()
    let file = scratch["Misuse.swift"]
    try Data("func misuse(_ secret: consuming Secret) {\n  \(body)\n}\n".utf8).write(to: URL(filePath: file))
    let folder = Self.root.appending(path: "Sources/KeyplanSecrets")
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
      folder.appending(path: $0).path
    }
    let answer = try Child.answer(
      [
        "swiftc", "-swift-version", "6", "-package-name", "keyplan", "-module-name", "KeyplanSecrets", "-wmo",
        "-emit-sil",
        "-o", "/dev/null",
      ]
        + sources.sorted() + [file], errors: true)
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
