import Foundation
import TestTools
import Testing

/// The real `sops` and `age`, with an identity of their own in a scratch folder.
struct SOPSProgram {
  let scratch: Scratch
  let recipient: String
  private let path: String

  /// `sops` of the tests' Python environment, or of `PATH`; nil if there is none.
  static let path: String? = {
    let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] ?? ""
    let beside = (python as NSString).deletingLastPathComponent + "/sops"
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    let found = (try? Child.answer(["sh", "-c", "command -v sops"]))?.text.trimmingCharacters(in: .newlines) ?? ""
    return found.isEmpty ? nil : found
  }()
  static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  static let missing: Comment = "sops is missing: run make setup-test, and set KEYPLAN_TEST_PYTHON"

  init(_ scratch: Scratch) throws {
    self.scratch = scratch
    path = Self.path ?? "sops"
    try Child.run(["age-keygen", "-o", scratch["keys.txt"]])
    let line = try scratch.text("keys.txt").split(separator: "\n").first { $0.contains("public key: ") } ?? ""
    recipient = String(line.split(separator: " ").last ?? "")
  }

  /// Encrypts a file in place.
  func encrypt(_ name: String, _ options: [String] = []) throws {
    try #require(try run(["--encrypt", "--in-place", "--age", recipient] + options + [scratch[name]]).status == 0)
  }

  /// The decrypted file; nil if sops refuses it.
  func decrypt(_ name: String) throws -> String? {
    let answer = try run(["--decrypt", scratch[name]])
    return answer.status == 0 ? answer.text : nil
  }

  func set(_ name: String, _ path: String, to json: String) throws -> Bool {
    try run(["set", scratch[name], path, json]).status == 0
  }

  func rotate(_ name: String) throws -> Bool {
    try run(["--rotate", "--in-place", scratch[name]]).status == 0
  }

  private func run(_ arguments: [String]) throws -> Child.Answer {
    try Child.answer(
      ["env", "SOPS_AGE_KEY_FILE=\(scratch["keys.txt"])", "HOME=\(scratch.path)", path, "--disable-version-check"]
        + arguments)
  }
}
