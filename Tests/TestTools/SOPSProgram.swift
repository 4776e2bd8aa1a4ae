import Foundation

/// The real `sops` and `age`, with an identity of their own in a scratch folder.
public struct SOPSProgram {
  private let scratch: Scratch
  /// The identity's recipient; the identity is in `keys.txt`.
  public let recipient: String
  private let path: String

  /// `sops` of the tests' Python environment, or of `PATH`; nil if there is none.
  public static let path: String? = {
    let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_PYTHON"] ?? ""
    let beside = (python as NSString).deletingLastPathComponent + "/sops"
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    let found = (try? Child.answer(["sh", "-c", "command -v sops"]))?.text.trimmingCharacters(in: .newlines) ?? ""
    return found.isEmpty ? nil : found
  }()
  /// CI must have it.
  public static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  /// Why tests are skipped without it.
  public static let missing = "sops is missing: run make setup-test, and set KEYPLAN_TEST_PYTHON"

  /// Makes the identity.
  public init(_ scratch: Scratch) throws {
    self.scratch = scratch
    path = Self.path ?? "sops"
    try Child.run(["age-keygen", "-o", scratch["keys.txt"]])
    let line = try scratch.text("keys.txt").split(separator: "\n").first { $0.contains("public key: ") } ?? ""
    recipient = String(line.split(separator: " ").last ?? "")
  }

  /// It refused to encrypt.
  public struct NotEncrypted: Error {}

  /// Encrypts a file in place.
  public func encrypt(_ name: String, _ options: [String] = []) throws {
    let status = try run(["--encrypt", "--in-place", "--age", recipient] + options + [scratch[name]]).status
    guard status == 0 else { throw NotEncrypted() }
  }

  /// The decrypted file; nil if sops refuses it.
  public func decrypt(_ name: String) throws -> String? { try decrypt(path: scratch[name]) }

  /// The same for a file anywhere.
  public func decrypt(path file: String) throws -> String? {
    let answer = try run(["--decrypt", file])
    return answer.status == 0 ? answer.text : nil
  }

  /// Whether it could.
  public func set(_ name: String, _ path: String, to json: String) throws -> Bool {
    try run(["set", scratch[name], path, json]).status == 0
  }

  /// Whether it could.
  public func rotate(_ name: String) throws -> Bool {
    try run(["--rotate", "--in-place", scratch[name]]).status == 0
  }

  private func run(_ arguments: [String]) throws -> Child.Answer {
    try Child.answer(
      ["env", "SOPS_AGE_KEY_FILE=\(scratch["keys.txt"])", "HOME=\(scratch.path)", path, "--disable-version-check"]
        + arguments)
  }
}
