import Foundation
import KeyplanAge
import KeyplanLocal
import KeyplanSecrets
import Synchronization
import TestTools
import Testing

/// A real plugin's process, driven by keyplan and by Debian's `age`.
@Suite("Programs of age plugins")
struct PluginProgramTests {
  private let scratch: Scratch
  private let toy: ToyPlugin

  init() throws {
    scratch = try Scratch()
    toy = try ToyPlugin(in: scratch["bin"])
    try scratch.folder("home")
    try scratch.folder("tree")
  }

  private func programs(
    path: String? = nil, clock: PluginPrograms.Clock = .system,
    asking ask: @escaping @Sendable (PluginQuestion) -> PluginAnswer? = { _ in .failed }
  ) -> PluginPrograms {
    PluginPrograms(
      [
        SourceContext(
          variables: [
            "PATH": path ?? "\(scratch["bin"]):/usr/bin:/bin", "HOME": scratch["home"], "LANG": "C", "TMPDIR": "/tmp",
            "AWS_SECRET_ACCESS_KEY": "canary", "KEYPLAN_IDENTITY": "canary",
          ], folder: scratch["tree"], home: scratch["home"])
      ], clock: clock, asking: { _, question in ask(question) })
  }

  private func sealed(to key: String, _ programs: PluginPrograms? = nil) throws -> [UInt8] {
    let recipient = try AgeRecipient(parsing: try toy.key(key).recipient)
    return try Age.encrypt(Secret(Array("text".utf8)), to: [recipient], plugins: programs ?? self.programs())
  }

  /// What the identity of a key opens, after it was encrypted to its recipient.
  private func opened(
    _ key: String, _ programs: PluginPrograms? = nil, file: [UInt8]? = nil
  ) throws -> String {
    let programs = programs ?? self.programs()
    let line = Secret(Array(try toy.key(key).identity.utf8))
    return text(
      of: try Age.decrypt(try file ?? sealed(to: key), with: Identity.parseFile(line, plugins: programs)))
  }

  private func text(of secret: borrowing Secret) -> String {
    secret.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private func fault(_ body: () throws -> Void) throws -> PluginFault {
    do {
      try body()
    } catch AgeError.plugin(_, let fault) {
      return fault
    }
    throw CocoaError(.featureUnsupported)
  }

  @Test(
    "a plugin encrypts and decrypts, in an empty directory of its own, without a terminal, and with the allow-list of variables"
  )
  func both() throws {
    #expect(try opened("plain:one") == "text")
    let log = try scratch.text("home/toy.log").split(separator: "\n")
    #expect(log.count == 2)
    for (line, machine) in zip(log, ["recipient-v1", "identity-v1"]) {
      #expect(line.hasPrefix("toy \(machine) files=0 session=True HOME LANG"), "\(line)")
      #expect(!line.contains("AWS") && !line.contains("KEYPLAN"), "\(line)")
    }
  }

  @Test("an identity does not open what is for another")
  func other() throws {
    let file = try sealed(to: "plain:one")
    #expect(throws: AgeError.noMatch) { try opened("plain:two", file: file) }
  }

  @Test(
    "commands that keyplan does not know are answered, in both directions",
    arguments: ["seal-grease:one", "open-grease:one"])
  func grease(key: String) throws { #expect(try opened(key) == "text") }

  static let sealingFaults: [(behaviour: String, fault: PluginFault)] = [
    ("crash", .ended), ("noise", .malformed(.stanza)), ("huge", .malformed(.size)), ("chatty", .malformed(.messages)),
    ("error", .reported("no [31mtoken here")), ("none", .malformed(.noStanza)), ("native", .malformed(.native)),
    ("scrypt", .malformed(.native)), ("endless", .malformed(.messages)),
  ]

  @Test("a plugin that misbehaves while it encrypts is ended, with the reason", arguments: sealingFaults)
  func sealing(behaviour: String, fault: PluginFault) throws {
    #expect(try self.fault { _ = try sealed(to: "seal-\(behaviour):one") } == fault)
  }

  static let openingFaults: [(key: String, fault: PluginFault)] = [
    ("open-crash:one", .ended), ("open-noise:one", .malformed(.stanza)), ("open-huge:one", .malformed(.size)),
    ("open-endless:one", .malformed(.messages)), ("open-error:one", .reported("no [31mtoken here")),
    ("short:one", .malformed(.fileKey)), ("twice:one", .malformed(.repeated)),
  ]

  @Test("the same while it decrypts", arguments: openingFaults)
  func opening(key: String, fault: PluginFault) throws {
    #expect(try self.fault { _ = try opened(key) } == fault)
  }

  @Test("labels that no file has are refused; post-quantum ones are kept")
  func labels() throws {
    #expect(try fault { _ = try sealed(to: "odd:one") } == .labels(["odd"]))
    #expect(try opened("pq:one") == "text")
  }

  /// A fake clock: the time is over as soon as the plugin is known to hang.
  private func clock() -> PluginPrograms.Clock {
    let sign = scratch["home/hanging"]
    return PluginPrograms.Clock(patience: .seconds(1)) {
      FileManager.default.fileExists(atPath: sign) ? .seconds(100) : .zero
    }
  }

  @Test("a plugin that hangs is ended at its deadline", arguments: ["seal", "open"])
  func hanging(phase: String) throws {
    let programs = programs(clock: clock())
    let found = try fault {
      if phase == "seal" {
        _ = try sealed(to: "seal-hang:one", programs)
      } else {
        _ = try opened("open-hang:one", programs)
      }
    }
    #expect(found == .timedOut)
  }

  @Test("the time in which a person is asked does not count")
  func patience() throws {
    let box = Shared(Duration.zero)
    let clock = PluginPrograms.Clock(patience: .seconds(10)) { box.value.withLock { $0 } }
    let programs = programs(clock: clock) { _ in
      box.value.withLock { $0 += .seconds(1000) }
      return .value(Array("1234".utf8))
    }
    #expect(try opened("pin:one", programs) == "text")
  }

  @Test("a cancelled task ends the plugin")
  func cancelled() async throws {
    let (key, sign) = ("seal-hang:one", scratch["home/hanging"])
    let recipient = try AgeRecipient(parsing: try toy.key(key).recipient)
    let programs = programs()
    let task = Task.detached { () -> AgeError? in
      do throws(AgeError) {
        _ = try Age.encrypt(Secret([1]), to: [recipient], plugins: programs)
        return nil
      } catch {
        return error
      }
    }
    while !FileManager.default.fileExists(atPath: sign) { await Task.yield() }
    task.cancel()
    let (ended, plugin) = (await task.value, try #require(recipient.plugin))
    #expect(ended == .plugin(plugin, .interrupted))
  }

  @Test(
    "a person's answers decide: confirmed, declined, the right PIN, a wrong one, a name, a message, and nobody there")
  func answers() throws {
    let (yes, no) = (programs { _ in .yes }, programs { _ in .no })
    func answering(_ text: String) -> PluginPrograms { programs { _ in .value(Array(text.utf8)) } }
    #expect(try opened("confirm:one", yes) == "text")
    #expect(try fault { _ = try opened("confirm:one", no) } == .reported("declined: ok no"))
    #expect(try fault { _ = try opened("confirm:one") } == .reported("declined: fail"))
    #expect(try opened("pin:one", answering("1234")) == "text")
    #expect(try fault { _ = try opened("pin:one", answering("12")) } == .reported("wrong PIN"))
    #expect(try fault { _ = try opened("pin:one") } == .reported("no PIN"))
    #expect(try opened("public:one", answering("ada")) == "text")
    #expect(try fault { _ = try opened("pin:one", programs { _ in nil }) } == .interrupted)
    let shown = Shared([PluginQuestion]())
    let touching = programs { question in
      shown.value.withLock { $0.append(question) }
      return .ok
    }
    #expect(try opened("touch:one", touching) == "text")
    #expect(shown.value.withLock { $0 } == [.show("Touch the token, ]0;please now")])
    // A message needs nobody.
    #expect(try opened("touch:one") == "text")
  }

  @Test(
    "a program is found in PATH, and not in the work tree, nor by a relative entry, nor by a link into the work tree")
  func path() throws {
    _ = try ToyPlugin(in: scratch["tree/bin"])
    try scratch.folder("links")
    try scratch.link("links/age-plugin-toy", to: scratch["tree/bin/age-plugin-toy"])
    for path in ["/usr/bin:/bin", scratch["tree/bin"], "bin:.:", scratch["links"]] {
      #expect(
        try fault { _ = try sealed(to: "plain:one", programs(path: path + ":/usr/bin:/bin")) } == .notFound, "\(path)")
    }
    #expect(!FileManager.default.fileExists(atPath: scratch["home/toy.log"]))
    // The next entry is used.
    _ = try sealed(to: "plain:one", programs(path: "\(scratch["tree/bin"]):\(scratch["bin"]):/usr/bin:/bin"))
  }

  @Test("a file that is not a program is reported, and nothing else is left of it")
  func notProgram() throws {
    try scratch.write("not a program", to: "bin/age-plugin-toy", mode: 0o755)
    let recipient = try AgeRecipient(parsing: try ToyPlugin(in: scratch["other"]).key("plain:one").recipient)
    let found = try fault { _ = try Age.encrypt(Secret([1]), to: [recipient], plugins: programs()) }
    guard case .notRun = found else {
      Issue.record("\(found)")
      return
    }
  }

  @Test(
    "age opens what keyplan encrypts with a plugin, and keyplan what age does",
    arguments: ["plain:one", "pq:one", "seal-grease:one"])
  func withAge(key: String) throws {
    let (recipient, identity) = try toy.key(key)
    try scratch.write(identity + "\n", to: "key.txt")
    try Data(try sealed(to: key)).write(to: URL(fileURLWithPath: scratch["ours.age"]))
    let path = "PATH=\(scratch["bin"]):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
    let theirs = try Child.answer([path, "age", "-d", "-i", scratch["key.txt"], scratch["ours.age"]])
    #expect(theirs.text == "text")
    try scratch.write("theirs", to: "plain")
    let file = try Child.answer([path, "age", "-r", recipient, scratch["plain"]])
    #expect(try opened(key, file: file.bytes) == "theirs")
  }
}

/// What closures share.
private final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>
  init(_ value: Value) { self.value = Mutex(value) }
}
