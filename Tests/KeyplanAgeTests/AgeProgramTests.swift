import Foundation
import KeyplanAge
import KeyplanSecrets
import TestTools
import Testing

/// Files exchanged with the `age` program, an implementation that is not ours.
///
/// Without the program the tests are skipped on a developer's machine, and fail where `CI` is set: there it must be.
@Suite(
  "With the age program",
  .enabled(if: Program.isInstalled || Program.isCI, "install age and age-keygen (Debian: apt install age)"))
struct AgeProgramTests {
  static let sizes = [0, 1, 65535, 65536, 65537, 131072]

  @Test("age opens what keyplan encrypts to a key of age-keygen", arguments: sizes, [false, true])
  func opensOurs(size: Int, armored: Bool) throws {
    try withFolder { folder in
      let plaintext = Seeded.bytes(size)
      try Program.run("age-keygen", "-o", "key.txt", in: folder)
      let key = Secret([UInt8](try Data(contentsOf: folder.appending(path: "key.txt"))))
      let identity = try #require(try Identity.parseFile(key).first)
      let recipients = [Identity.generate().recipient, identity.recipient]
      let file = try Age.encrypt(Secret(plaintext), to: recipients, armored: armored)
      try Data(file).write(to: folder.appending(path: "file.age"))
      #expect(try Program.run("age", "-d", "-i", "key.txt", "file.age", in: folder) == plaintext)
    }
  }

  @Test("keyplan opens what age encrypts to keyplan's recipients", arguments: sizes, [false, true])
  func opensTheirs(size: Int, armored: Bool) throws {
    try withFolder { folder in
      let plaintext = Seeded.bytes(size)
      let (one, two) = (Identity.generate(), Identity.generate())
      try Data(plaintext).write(to: folder.appending(path: "plain"))
      let options = ["-e", "-r", one.recipient.description, "-r", two.recipient.description] + (armored ? ["-a"] : [])
      let file = try Program.run("age", arguments: options + ["plain"], in: folder)
      #expect(bytes(of: try Age.decrypt(file, with: [one])) == plaintext)
      #expect(bytes(of: try Age.decrypt(file, with: [two])) == plaintext)
    }
  }

  @Test("age-keygen reads an exported identity and names the same recipient")
  func sameRecipient() throws {
    try withFolder { folder in
      let identity = Identity.generate()
      try Data(bytes(of: try identity.exported())).write(to: folder.appending(path: "key.txt"))
      let recipient = try Program.run("age-keygen", "-y", "key.txt", in: folder)
      #expect(String(decoding: recipient, as: UTF8.self) == "\(identity.recipient)\n")
    }
  }
}

/// A scratch folder for a program.
func withFolder(_ body: (URL) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "keyplan-age-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try body(folder)
}

enum Program {
  static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  static let isInstalled = path(of: "age") != nil && path(of: "age-keygen") != nil

  /// Beside the Python of the tests, or from PATH.
  static func path(of name: String) -> URL? {
    let environment = ProcessInfo.processInfo.environment
    var folders = (environment["PATH"] ?? "").split(separator: ":").map { URL(filePath: String($0)) }
    if let python = environment["KEYPLAN_TEST_PYTHON"] {
      folders.insert(URL(filePath: python).deletingLastPathComponent(), at: 0)
    }
    return folders.map { $0.appending(path: name) }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  @discardableResult
  static func run(_ name: String, _ arguments: String..., in folder: URL) throws -> [UInt8] {
    try run(name, arguments: arguments, in: folder)
  }

  /// Its standard output; a failure is an issue with what it said.
  @discardableResult
  static func run(
    _ name: String, arguments: [String], in folder: URL, environment: [String: String] = [:]
  ) throws -> [UInt8] {
    let process = Process()
    let program: URL = try #require(path(of: name), "\(name) is not installed")
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let errors = folder.appending(path: "errors.txt")
    try Data().write(to: errors)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errors)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    let said = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
    try #require(process.terminationStatus == 0, "\(name): \(said)")
    return bytes
  }
}
