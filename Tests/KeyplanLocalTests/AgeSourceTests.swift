import Foundation
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@Suite(
  "Files of the real age as sources",
  .enabled(
    if: (try? Child.run(["sh", "-c", "command -v age >/dev/null"])) == 0 || SOPSProgram.isCI,
    "age is missing: apt install age"))
struct AgeSourceTests {
  private let scratch: Scratch
  private let source: AgeSource
  private let recipient: String

  init() throws {
    scratch = try Scratch()
    recipient = try SOPSProgram(scratch).recipient
    source = AgeSource(SourceContext(scratch, variables: ["SOPS_AGE_KEY_FILE": scratch["keys.txt"]]))
  }

  private func encrypt(_ text: String, to name: String, _ options: [String] = [], recipients: [String]? = nil) throws {
    try scratch.write(text, to: "plain")
    let to = (recipients ?? [recipient]).flatMap { ["-r", $0] }
    #expect(try Child.run(["age", "-o", scratch[name]] + options + to + [scratch["plain"]]) == 0)
  }

  @Test("binary and armored files are read, whole and as values", arguments: [[], ["--armor"]])
  func reading(options: [String]) async throws {
    try encrypt("key\n", to: "a.age", options)
    #expect(await source.tell(.file("age", "a.age")) == .value("key"))
    let files = await source.readFiles([.file("age", "a.age")])
    #expect(files.map(Told.init) == [.value("key\n")])
    let large = String(repeating: "x", count: 200_000)
    try encrypt(large, to: "large.age", options)
    #expect(await source.tell(.file("age", "large.age")) == .value(large))
    try encrypt("\n", to: "empty.age", options)
    #expect(await source.tell(.file("age", "empty.age")) == .unreadable("The value is empty."))
    try encrypt(String(repeating: "x", count: 1_100_000), to: "too-large.age", options)
    #expect(await source.tell(.file("age", "too-large.age")) == .unreadable("The value is larger than 1 MiB."))
  }

  @Test("the contract of sources")
  func contract() async throws {
    try encrypt("first", to: "one.age")
    try encrypt("second", to: "two.age", ["--armor"])
    try scratch.write("canary is no age file", to: "plain.age")
    try scratch.folder("folder")
    let contract = SourceContract(
      source, present: [(.file("age", "one.age"), "first"), (.file("age", "two.age"), "second")],
      missing: [.file("age", "none.age"), .file("age", "no/none.age")],
      unreadable: [.file("age", "plain.age"), .file("age", "folder")])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("a file for somebody else is denied, a passphrase is not supported, and a changed file is unreadable")
  func refused() async throws {
    let other = try Scratch()
    try encrypt("x", to: "theirs.age", recipients: [try SOPSProgram(other).recipient])
    #expect(
      await source.tell(.file("age", "theirs.age"))
        == .failed(.denied, "The file is not encrypted to any age identity of this user."))
    try encrypt("x", to: "a.age")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: scratch["a.age"]))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(fileURLWithPath: scratch["a.age"]))
    guard case .failed(.unreadable, _)? = await source.tell(.file("age", "a.age")) else {
      Issue.record("it is readable")
      return
    }
  }

  @Test("a file for an SSH key is read with the key that the variable names", arguments: ["ed25519", "rsa"])
  func ssh(type: String) async throws {
    let key = scratch["key"]
    try #require(try Child.run(["ssh-keygen", "-q", "-t", type, "-N", "", "-f", key]) == 0)
    try scratch.write("secret", to: "plain")
    try #require(try Child.run(["age", "-o", scratch["a.age"], "-R", key + ".pub", scratch["plain"]]) == 0)
    let named = AgeSource(SourceContext(scratch, variables: ["SOPS_AGE_SSH_PRIVATE_KEY_FILE": key]))
    #expect(await named.tell(.file("age", "a.age")) == .value("secret"))
    let none = AgeSource(SourceContext(scratch, variables: ["SOPS_AGE_SSH_PRIVATE_KEY_FILE": key + "-missing"]))
    guard case .failed(.unauthenticated, _)? = await none.tell(.file("age", "a.age")) else {
      Issue.record("a file that the variable names is missing, and nothing says so")
      return
    }
  }

  @Test("a file for a post-quantum recipient is read with its identity: C2SP's vector")
  func postQuantum() async throws {
    let vector = try Data(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "KeyplanAgeTests/Fixtures/cctv/hybrid"))
    let gap = try #require(vector.firstRange(of: Data("\n\n".utf8)))
    try vector[gap.upperBound...].write(to: URL(filePath: scratch["a.age"]))
    let identity = "AGE-SECRET-KEY-PQ-1HZLGZUPT4ETPKDEV8HSGFDCYZ4E522W0A7PU2LHT8EH9W6YLNC3SW78XKG"
    let source = AgeSource(SourceContext(scratch, variables: ["SOPS_AGE_KEY": identity]))
    #expect(await source.tell(.file("age", "a.age")) == .value("age"))
  }

  @Test("without an identity nothing is known, and keyplan's own is not used")
  func identities() async throws {
    try encrypt("x", to: "a.age")
    let own = ["KEYPLAN_IDENTITY": scratch["keys.txt"]]
    let answer = await AgeSource(SourceContext(scratch, variables: own)).tell(.file("age", "a.age"))
    #expect(answer == .failed(.unauthenticated, "No age identity was found."))
    let listed = "# one\nssh-ed25519 AAAA\n" + (try scratch.text("keys.txt"))
    try scratch.write(listed, to: "list.txt")
    let several = AgeSource(SourceContext(scratch, variables: ["SOPS_AGE_KEY_FILE": scratch["list.txt"]]))
    #expect(await several.tell(.file("age", "a.age")) == .value("x"))
    let broken = AgeSource(SourceContext(scratch, variables: ["SOPS_AGE_KEY": "AGE-SECRET-KEY-1CANARY"]))
    #expect(
      await broken.tell(.file("age", "a.age"))
        == .failed(.unauthenticated, "SOPS_AGE_KEY contains an age identity that is not valid."))
  }
}
