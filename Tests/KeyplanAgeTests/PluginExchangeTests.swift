import KeyplanAge
import KeyplanSecrets
import Synchronization
import Testing

/// A fake: answers of a plugin, written down.
private final class ScriptedPlugin: PluginRunning {
  private let output: String
  private let answer: PluginAnswer
  private let record = Mutex((opening: "", answers: [String](), questions: [PluginQuestion](), runs: 0))

  init(_ output: String, answering answer: PluginAnswer = .failed) { (self.output, self.answer) = (output, answer) }

  var opening: String { record.withLock { $0.opening } }
  var answers: [String] { record.withLock { $0.answers } }
  var questions: [PluginQuestion] { record.withLock { $0.questions } }
  var runs: Int { record.withLock { $0.runs } }

  func run<Exchange: PluginExchange>(_ plugin: PluginName, _ exchange: Exchange) throws(AgeError) -> Exchange {
    var (exchange, reader) = (exchange, PluginStanzaReader())
    record.withLock {
      $0.opening = String(decoding: exchange.opening, as: UTF8.self)
      $0.runs += 1
    }
    func answered(_ answer: PluginAnswer) {
      record.withLock { $0.answers.append(String(decoding: answer.bytes, as: UTF8.self)) }
    }
    do throws(PluginFault) {
      for byte in output.utf8 {
        guard let stanza = try reader.add(byte) else { continue }
        switch try exchange.receive(stanza) {
        case .done: return exchange
        case .answer(let answer): answered(answer)
        case .ask(let question):
          record.withLock { $0.questions.append(question) }
          answered(answer)
        case .reported(let text):
          answered(.ok)
          throw .reported(text)
        }
      }
      throw .ended
    } catch {
      throw .plugin(plugin, error)
    }
  }
}

/// What a plugin says and what keyplan makes of it, without a process.
@Suite("Exchanges with age plugins")
struct PluginExchangeTests {
  private let recipient: AgeRecipient
  private let plugin: PluginName

  init() throws {
    recipient = try AgeRecipient(parsing: bech32("age1toy", Array("plain:one".utf8)))
    plugin = try #require(recipient.plugin)
  }

  private func identity(_ plugins: any PluginRunning, comment: String = "") throws -> Identity {
    let line = bech32("age-plugin-toy-", Array("plain:one".utf8)).uppercased()
    return try #require(
      try Identity.parseFile(Secret(Array("\(comment)\n\(line)\n".utf8)), plugins: plugins).first)
  }

  private func seal(_ output: String) throws -> ScriptedPlugin {
    let plugin = ScriptedPlugin(output)
    _ = try Age.encrypt(Secret(Array("text".utf8)), to: [recipient], plugins: plugin)
    return plugin
  }

  private static let stanza = "-> recipient-stanza 0 toy v1\ncK/lvsugfCWr5hDeILA5RA\n"

  @Test("the first phase of recipient-v1 has the recipient, a key of 16 bytes, the extension and done")
  func opening() throws {
    let lines = try seal(Self.stanza + "-> done\n\n").opening.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "-> add-recipient \(recipient)" && lines[1] == "")
    #expect(lines[2] == "-> wrap-file-key" && lines[3].count == 22)
    #expect(lines[4...] == ["-> extension-labels", "", "-> done", "", ""])
  }

  @Test("unknown commands are answered with unsupported, wherever they are and whatever is in them")
  func grease() throws {
    let rows = String(repeating: String(repeating: "A", count: 64) + "\n", count: 3)
    let plugin = try seal("-> J#]-grease a b\n\(rows)\n" + Self.stanza + "-> grease\n\n-> done\n\n")
    #expect(plugin.answers == ["-> unsupported\n\n", "-> ok\n\n", "-> unsupported\n\n"])
  }

  /// Nearly as large as a stanza can be.
  private static let large =
    "-> grease\n" + String(repeating: String(repeating: "A", count: 64) + "\n", count: 1_000) + "\n"

  static let faults: [(label: String, output: String, fault: PluginFault)] = [
    ("nothing", "", .ended),
    ("no stanza", "-> done\n\n", .malformed(.noStanza)),
    ("not done", stanza, .ended),
    ("noise", "hello\n", .malformed(.stanza)),
    ("an empty argument", "-> msg  a\n\n", .malformed(.stanza)),
    ("a body that is not base64", "-> msg\n!!!\n", .malformed(.stanza)),
    ("bits after the last byte", "-> msg\nQR\n", .malformed(.stanza)),
    ("padding", "-> msg\nQQ==\n", .malformed(.stanza)),
    ("a line of 65 columns", "-> msg\n\(String(repeating: "A", count: 65))\n", .malformed(.stanza)),
    ("a long line", "-> msg \(String(repeating: "a", count: 20_000))\n\n", .malformed(.size)),
    (
      "a large body", "-> msg\n\(String(repeating: String(repeating: "A", count: 64) + "\n", count: 2_000))",
      .malformed(.size)
    ),
    ("too much", String(repeating: large, count: 30), .malformed(.total)),
    ("too many questions", String(repeating: "-> msg\nQQ\n", count: 129), .malformed(.messages)),
    ("too many unknown commands", String(repeating: "-> grease\n\n", count: 129), .malformed(.messages)),
    ("too many stanzas", String(repeating: stanza, count: 65), .malformed(.total)),
    ("another file", "-> recipient-stanza 1 toy v1\ncK/lvsugfCWr5hDeILA5RA\n-> done\n\n", .malformed(.command)),
    ("a stanza without a type", "-> recipient-stanza 0\n\n-> done\n\n", .malformed(.command)),
    ("labels twice", "-> labels\n\n-> labels\n\n" + stanza + "-> done\n\n", .malformed(.repeated)),
    ("a native stanza that is malformed", "-> recipient-stanza 0 X25519 a\nQQ\n-> done\n\n", .malformed(.native)),
    ("unknown labels", "-> labels b a\n\n" + stanza + "-> done\n\n", .labels(["a", "b"])),
    ("an error", "-> error internal\nbm8gG1szMW10b2tlbgcKaGVyZQ\n", .reported("no [31mtoken here")),
    ("an error without a text", "-> error internal\n\n", .reported("(no text)")),
    ("an error that is not text", "-> error internal\n/w\n", .malformed(.text)),
    ("a confirmation without words", "-> confirm\nQQ\n", .malformed(.command)),
  ]

  @Test("what is not the protocol is refused with its reason", arguments: faults)
  func fault(label: String, output: String, fault: PluginFault) {
    #expect(throws: AgeError.plugin(plugin, fault), "\(label)") { try seal(output) }
  }

  @Test("a plugin's questions reach a person without control characters, and the answers reach the plugin")
  func questions() throws {
    let script =
      "-> msg\nVG91Y2ggG10wO3gHaXQ\n-> confirm WWVz U2tpcA\ndXNlIHRoZSB0b2tlbj8\n-> confirm WWVz\ndXNlIHRoZSB0b2tlbj8\n"
      + "-> request-secret\nUElO\n-> request-public\nTmFtZQ\n-> done\n\n"
    let plugin = ScriptedPlugin(script, answering: .value(Array("1234".utf8)))
    #expect(throws: AgeError.noMatch) {
      try Age.decrypt(try sealed(), with: [try identity(plugin)])
    }
    #expect(
      plugin.questions == [
        .show("Touch ]0;x it"), .confirm("use the token?", yes: "Yes", no: "Skip"),
        .confirm("use the token?", yes: "Yes", no: nil), .request("PIN", isHidden: true),
        .request("Name", isHidden: false),
      ])
    #expect(Set(plugin.answers) == ["-> ok\nMTIzNA\n"])
    #expect(String(decoding: PluginAnswer.no.bytes, as: UTF8.self) == "-> ok no\n\n")
    #expect(String(decoding: PluginAnswer.yes.bytes, as: UTF8.self) == "-> ok yes\n\n")
    #expect(String(decoding: PluginAnswer.failed.bytes, as: UTF8.self) == "-> fail\n\n")
  }

  private func sealed() throws -> [UInt8] {
    try Age.encrypt(
      Secret(Array("text".utf8)), to: [recipient], plugins: ScriptedPlugin(Self.stanza + "-> done\n\n"))
  }

  @Test(
    "a file key that does not have 16 bytes is refused before the header is compared", arguments: ["QUFBQUFBQUE", ""])
  func fileKeySize(body: String) throws {
    let plugin = ScriptedPlugin("-> file-key 0\n\(body)\n-> done\n\n")
    #expect(throws: AgeError.plugin(self.plugin, .malformed(.fileKey))) {
      try Age.decrypt(try sealed(), with: [try identity(plugin)])
    }
  }

  @Test("a wrong file key is a modified header, and a second one is refused")
  func wrongFileKey() throws {
    let key = "-> file-key 0\nQJ7Xjf+VShKT33G8Q9RcIg\n"
    #expect(throws: AgeError.headerMAC) {
      try Age.decrypt(try sealed(), with: [try identity(ScriptedPlugin(key + "-> done\n\n"))])
    }
    #expect(throws: AgeError.plugin(plugin, .malformed(.repeated))) {
      try Age.decrypt(try sealed(), with: [try identity(ScriptedPlugin(key + key + "-> done\n\n"))])
    }
  }

  @Test("a plugin gets all stanzas of a file, once: its answer is remembered")
  func remembered() throws {
    let native = Identity.generate()
    let file = try Age.encrypt(
      Secret(Array("text".utf8)), to: [recipient, native.recipient],
      plugins: ScriptedPlugin(Self.stanza + "-> done\n\n"))
    let plugin = ScriptedPlugin("-> done\n\n")
    let identity = try identity(plugin)
    for _ in 0..<3 { #expect(throws: AgeError.noMatch) { try Age.decrypt(file, with: [identity]) } }
    #expect(plugin.runs == 1)
    let lines = plugin.opening.split(separator: "\n")
    #expect(lines.first?.hasPrefix("-> add-identity AGE-PLUGIN-TOY-1") == true)
    #expect(lines.contains("-> recipient-stanza 0 toy v1"))
    #expect(lines.contains { $0.hasPrefix("-> recipient-stanza 0 X25519 ") })
    #expect(!plugin.opening.contains("extension-labels"))
    // An identity that needs no plugin comes first.
    _ = try Age.decrypt(file, with: [try self.identity(ScriptedPlugin("")), native])
  }

  @Test("a plugin that fails hides neither another identity that opens the file, nor that it failed")
  func failing() throws {
    let file = try sealed()
    let (bad, good) = (ScriptedPlugin(""), ScriptedPlugin("-> file-key 0\nQJ7Xjf+VShKT33G8Q9RcIg\n-> done\n\n"))
    #expect(throws: AgeError.plugin(plugin, .ended)) { try Age.decrypt(file, with: [try identity(bad)]) }
    // The second plugin is asked after the failure of the first.
    #expect(throws: AgeError.headerMAC) { try Age.decrypt(file, with: [try identity(bad), try identity(good)]) }
  }

  @Test("recipients with different labels get files of their own; one file for them is refused")
  func labels() throws {
    let postQuantum = ScriptedPlugin("-> labels postquantum\n\n" + Self.stanza + "-> done\n\n")
    let classical = Identity.generate().recipient
    let files = try Age.encryptByLabels(Secret([1]), to: [classical, recipient], plugins: postQuantum)
    #expect(files.map { $0.labels } == [[], ["postquantum"]])
    // The first key was for the file of the others.
    #expect(postQuantum.runs == 2)
    #expect(throws: AgeError.mixedRecipients) {
      try Age.encrypt(Secret([1]), to: [classical, recipient], plugins: postQuantum)
    }
    let pq = try Identity.generatePostQuantum()
    let together = try Age.encryptByLabels(Secret([1]), to: [pq.recipient, recipient], plugins: postQuantum)
    #expect(together.map { $0.labels } == [["postquantum"]])
    _ = try Age.decrypt(together[0].bytes, with: [pq])
  }

  @Test(
    "the recipient of an identity is what the comment before it says; otherwise it is unknown, and still encrypted to")
  func comments() throws {
    for label in ["# public key:", "#    Recipient:", "# recipient:"] {
      let identity = try identity(ScriptedPlugin(""), comment: "\(label) \(recipient)\n# Name: x")
      #expect(identity.recipient == recipient && identity.recipient.isKnown)
    }
    for comment in ["# see \(recipient)", "# recipient: age1toy1wrong", "# public key: a b", ""] {
      #expect(try !identity(ScriptedPlugin(""), comment: comment).recipient.isKnown, "\(comment)")
    }
    let plugin = ScriptedPlugin(Self.stanza + "-> done\n\n")
    let unknown = try identity(plugin).recipient
    _ = try Age.encrypt(Secret([1]), to: [unknown], plugins: plugin)
    #expect(plugin.opening.hasPrefix("-> add-identity AGE-PLUGIN-TOY-1"))
    #expect(!"\(unknown)".contains("AGE-PLUGIN"))
  }

  static let badRecipients: [(text: String, fault: KeyFault)] = [
    ("\(bech32("age1toy", Array("x".utf8)).dropLast())b", .character),
    (bech32("age1t/oy", Array("x".utf8)), .pluginName),
    (bech32("age1..%2ftoy", Array("x".utf8)), .pluginName),
    (bech32("age1tag", Array("x".utf8)), .hardware),
    (bech32("age1tagpq", Array("x".utf8)), .hardware),
    (bech32("age1pq", Array("x".utf8)), .length),
  ]

  @Test("names that lead elsewhere, native prefixes and wrong checksums are refused", arguments: badRecipients)
  func badRecipient(text: String, fault: KeyFault) {
    #expect(throws: AgeError.invalidRecipient(fault)) { try AgeRecipient(parsing: text) }
  }

  @Test("where plugins are not run, their identities and recipients are refused")
  func notRun() throws {
    let line = bech32("age-plugin-toy-", [1]).uppercased()
    #expect(throws: AgeError.invalidIdentity(.plugin, line: 1)) {
      try Identity.parseFile(Secret(Array(line.utf8)))
    }
    #expect(throws: AgeError.plugin(plugin, .notSupported)) { try Age.encrypt(Secret([1]), to: [recipient]) }
    for wrong in [
      bech32("age-plugin-t/y-", [1]), bech32("age-plugin-", [1]), bech32("age-plugin-pq-", [1]),
      bech32("age-plugin-toy", [1]),
    ] {
      #expect(throws: AgeError.invalidIdentity(.pluginName, line: 1), "\(wrong)") {
        try Identity.parseFile(Secret(Array(wrong.utf8)), plugins: ScriptedPlugin(""))
      }
    }
  }
}
