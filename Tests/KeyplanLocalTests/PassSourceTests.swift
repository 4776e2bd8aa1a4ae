import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal

@Suite(
  "Entries of the real pass as sources",
  .enabled(
    if: (try? Child.run(["sh", "-c", "command -v pass gpg >/dev/null"])) == 0 || SOPSProgram.isCI,
    "pass is missing: apt install pass"))
final class PassSourceTests {
  private let scratch: Scratch
  private let environment: [String]
  private let source: PassSource

  init() throws {
    scratch = try Scratch()
    try scratch.folder("gnupg")
    try scratch.folder("home")
    let variables = [
      "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": scratch["home"], "GNUPGHOME": scratch["gnupg"],
      "PASSWORD_STORE_DIR": scratch["store"],
    ]
    environment = ["env", "-i"] + variables.map { "\($0)=\($1)" }
    source = PassSource(SourceContext(variables: variables, folder: scratch["home"], home: scratch["home"]))
    try #require(try makeKey("Ada", passphrase: "") == 0)
    try #require(try run(["pass", "init", "Ada"]) == 0)
  }

  deinit { _ = try? Child.run(environment + ["gpgconf", "--kill", "all"]) }

  private func run(_ words: [String]) throws -> Int32 {
    try Child.run(environment + ["sh", "-c", "\"$@\" >/dev/null 2>&1", "-"] + words)
  }

  private func makeKey(_ name: String, passphrase: String) throws -> Int32 {
    try run([
      "gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", passphrase, "--quick-generate-key", name,
      "future-default", "default", "never",
    ])
  }

  private func insert(_ text: String, as name: String) throws {
    try scratch.write(text, to: "plain")
    try #require(try run(["sh", "-c", "pass insert --multiline --force '\(name)' < '\(scratch["plain"])'"]) == 0)
  }

  private func entry(_ name: String, _ field: String? = nil) -> Reference {
    Reference(
      scheme: "pass", location: name, selector: field, isLocal: true, surface: ExternalAccess(.path, "pass://\(name)"))
  }

  @Test("the contract of sources")
  func contract() async throws {
    try insert("hunter2\nuser: ada\nurl:https://a\n", as: "mail/ada")
    try insert("one line without an end", as: "b")
    try scratch.write("canary, not encrypted", to: "store/plain.gpg")
    let contract = SourceContract(
      source,
      present: [
        (entry("mail/ada"), "hunter2"), (entry("mail/ada", "user"), "ada"), (entry("mail/ada", "url"), "https://a"),
        (entry("b"), "one line without an end"),
      ],
      missing: [entry("none"), entry("mail/none"), entry("mail/ada", "none"), entry("mail"), entry("mail/ada", "use")],
      unreadable: [entry("plain"), entry("../home/x"), entry("mail//ada"), entry("./b")])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("a locked key is sealed, another's is denied, and neither is missing")
  func locked() async throws {
    try insert("hunter2\n", as: "open")
    try #require(try makeKey("Locked", passphrase: "long passphrase") == 0)
    try #require(try run(["pass", "init", "-p", "locked", "Locked"]) == 0)
    try insert("hunter2\n", as: "locked/a")
    try #require(try run(["gpgconf", "--kill", "gpg-agent"]) == 0)
    #expect(
      await source.tell([entry("locked/a"), entry("open")]) == [
        .failed(.sealed, "The key that decrypts the entry is locked: its passphrase is not in gpg-agent."),
        .value("hunter2"),
      ])
    try scratch.folder("other")
    let variables = ["PATH": "/usr/bin:/bin", "GNUPGHOME": scratch["other"], "PASSWORD_STORE_DIR": scratch["store"]]
    let other = PassSource(SourceContext(variables: variables, folder: scratch["home"], home: scratch["home"]))
    #expect(
      await other.tell(entry("open")) == .failed(.denied, "The entry is not encrypted to a key of this user."))
    _ = try Child.run(["env", "GNUPGHOME=\(scratch["other"])", "gpgconf", "--kill", "all"])
  }

  @Test("without a store or gpg nothing is known")
  func absent() async throws {
    let nowhere = PassSource(
      SourceContext(variables: ["PATH": "/usr/bin:/bin"], folder: scratch["home"], home: scratch["home"]))
    guard case .failed(.unreadable, _)? = await nowhere.tell(entry("a")) else {
      Issue.record("the store is there")
      return
    }
    try insert("hunter2\n", as: "a")
    let bare = PassSource(
      SourceContext(
        variables: ["PATH": scratch["home"], "PASSWORD_STORE_DIR": scratch["store"]], folder: scratch["home"], home: nil
      ))
    guard case .failed(.unreachable, _)? = await bare.tell(entry("a")) else {
      Issue.record("gpg is there")
      return
    }
  }
}

@Suite("Status lines of gpg")
struct GPGStatusTests {
  @Test("the code of a locked key may have its source, and its name", arguments: ["99", "67108963", "99_CANCELED"])
  func locked(code: String) {
    let status = GPGStatus(SecretBox(Array("[GNUPG:] ERROR pkdecrypt_failed \(code)\n".utf8)))
    #expect(status.failure.kind == .sealed)
  }
}
