import Foundation
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal

@Suite("Files of the real sops", .enabled(if: SOPSProgram.path != nil || SOPSProgram.isCI, "\(SOPSProgram.missing)"))
struct SOPSTests {
  private let scratch: Scratch
  private let sops: SOPSProgram
  private let variables: [String: String]
  private let source: SOPSSource
  private let target: any SecretTarget

  private static let yaml = """
    # about the file
    db:
        # about the password
        password: hunter2
        port: 5432
        ratio: 1.50
        "on": true
        none: null
        empty: ""
        list:
            - one
            - k: two
    "a/b": slash
    ünï: "ç 🔑"
    lines: |
        first
        second
    shown_unencrypted: clear
    numbers_unencrypted: [1, 2.50, 1e3, 0x10, 010, 1_000, -7, 1e30, 1.0e-7, true, null, ~, 2020-01-01, "5"]
    """
  private static let json = """
    {"db": {"password": "hunter2", "port": 5432, "on": true, "none": null, "empty": ""}, "list": ["one", {"k": "two"}],
     "a/b": "slash", "shown_unencrypted": [1, 2.50, 1e3, 1e30, 1.0e-7, true, null, "x"]}
    """
  private static let env = "# about\nPASSWORD=hunter2\nLINES=a\\nb\nEMPTY=\n\nSHOWN_unencrypted=clear\n"

  init() throws {
    scratch = try Scratch()
    sops = try SOPSProgram(scratch)
    variables = ["SOPS_AGE_KEY_FILE": scratch["keys.txt"]]
    source = SOPSSource(SourceContext(scratch, variables: variables))
    target = SOPSSource.target(
      TargetContext(folder: scratch.path, home: nil, variables: variables),
      now: { Moment(seconds: 1_795_000_000) })
  }

  private func place(_ name: String) -> Destination { Destination(type: "sops", location: name) }

  private func changes(_ values: [String: String], removing names: [String] = []) -> TargetChanges {
    TargetChanges(
      set: values.sorted { $0.key < $1.key }.map { ($0.key, SecretBox(Array($0.value.utf8))) }, remove: names)
  }

  private func tell(_ file: String, _ selector: String) async -> Told? {
    await source.tell(.file("sops", file, selector))
  }

  @Test("values of each kind are read from YAML, JSON and dotenv")
  func reading() async throws {
    try scratch.write(Self.yaml, to: "s.yaml")
    try scratch.write(Self.json, to: "s.json")
    try scratch.write(Self.env, to: "s.env")
    // SOPS takes other files than those with these extensions for binary ones.
    let binary = ["s.bin", "env", "s.YAML"]
    for name in binary { try scratch.write("whole\nfile\n", to: name) }
    for name in ["s.yaml", "s.json", "s.env"] + binary { try sops.encrypt(name) }
    for name in ["s.yaml", "s.json"] {
      #expect(await tell(name, "/db/password") == .value("hunter2"), "\(name)")
      #expect(await tell(name, "/db/port") == .value("5432"), "\(name)")
      #expect(await tell(name, "/db/on") == .value("true"), "\(name)")
      #expect(await tell(name, "/db/none") == .missing, "\(name)")
      #expect(await tell(name, "/db/nothing") == .missing, "\(name)")
      #expect(await tell(name, "/db/empty") == .unreadable("The value is empty."), "\(name)")
      #expect(await tell(name, "/db") == .unreadable("The value is an object, not a string."), "\(name)")
      #expect(await tell(name, "/a~1b") == .value("slash"), "\(name)")
      #expect(await tell(name, "/sops/mac") == .missing, "\(name)")
      #expect(await tell(name, "sops") == .missing, "\(name)")
    }
    #expect(await tell("s.yaml", "/db/list/1/k") == .value("two"))
    #expect(await tell("s.json", "/list/1/k") == .value("two"))
    #expect(await tell("s.yaml", "/db/ratio") == .value("1.5"))
    #expect(await tell("s.yaml", "ünï") == .value("ç 🔑"))
    #expect(await tell("s.yaml", "lines") == .value("first\nsecond\n"))
    #expect(await tell("s.yaml", "shown_unencrypted") == .value("clear"))
    #expect(await tell("s.env", "PASSWORD") == .value("hunter2"))
    #expect(await tell("s.env", "LINES") == .value("a\nb"))
    #expect(await tell("s.env", "sops_mac") == .missing)
    for name in binary { #expect(await tell(name, "data") == .value("whole\nfile\n"), "\(name)") }
  }

  @Test("the contract of sources, for each format", arguments: ["s.yaml", "s.json", "s.env"])
  func sources(name: String) async throws {
    let text = ["s.yaml": "a: one\nb: two\nc: {d: e}\n", "s.json": "{\"a\": \"one\", \"b\": \"two\", \"c\": {}}"]
    try scratch.write(text[name] ?? "a=one\nb=two\n", to: name)
    try sops.encrypt(name)
    try scratch.write("a: canary\n", to: "plain.yaml")
    try scratch.write("[a]\nb = canary\n", to: "s.ini")
    let contract = SourceContract(
      source, present: [(.file("sops", name, "a"), "one"), (.file("sops", name, "/b"), "two")],
      missing: [.file("sops", name, "z"), .file("sops", name, "/a/z"), .file("sops", "no/\(name)", "a")],
      unreadable: [.file("sops", "plain.yaml", "a"), .file("sops", "s.ini", "b")])
    let violations = await contract.violations()
    #expect(violations == [])
  }

  @Test("what we write is what sops reads, changes and reads again, and what it writes then we read")
  func bothWays() async throws {
    try scratch.write(Self.yaml, to: "s.yaml")
    try scratch.write(Self.json, to: "s.json")
    try scratch.write(Self.env, to: "s.env")
    for name in ["s.yaml", "s.json", "s.env"] {
      try sops.encrypt(name)
      let before = try #require(try sops.decrypt(name))
      let isFlat = name == "s.env"
      let (old, new, gone) = isFlat ? ("PASSWORD", "NEW", "LINES") : ("/db/password", "/db/new/key", "/db/port")
      let kept = try scratch.text(name).split(separator: "\n").filter {
        $0.contains("unencrypted") || $0.contains("comment")
      }
      let results = try await target.write(
        changes([old: "changed\nvalue", new: "added", "TOP": "x"], removing: [gone]), at: place(name))
      #expect(results.values.allSatisfy { $0 == .done() } && results.count == 4)
      let text = try scratch.text(name)
      #expect(!text.contains("changed") && !text.contains("added"))
      #expect(kept.allSatisfy { text.contains($0) || $0.contains("sops_") }, "\(name)")
      let after = try #require(try sops.decrypt(name), "sops refuses \(name)")
      #expect(after != before)
      if isFlat {
        #expect(
          after == "# about\nPASSWORD=changed\\nvalue\nEMPTY=\n\nSHOWN_unencrypted=clear\nNEW=added\nTOP=x\n"
            || after.contains("PASSWORD=changed\\nvalue\nEMPTY=\nSHOWN_unencrypted=clear\nNEW=added\nTOP=x"), "\(after)"
        )
      } else {
        let data = try #require(
          name == "s.json" ? try JSONSerialization.jsonObject(with: Data(after.utf8)) as? [String: Any] : ["db": [:]])
        if name == "s.json" {
          let db = try #require(data["db"] as? [String: Any])
          #expect(db["password"] as? String == "changed\nvalue" && db["port"] == nil && data["TOP"] as? String == "x")
          #expect((db["new"] as? [String: String]) == ["key": "added"])
        } else {
          #expect(
            after.contains("# about the password\n") && after.contains("key: added\n") && after.contains("TOP: x\n"))
          #expect(!after.contains("port:"))
        }
      }
      // sops changes the file after us, rotates its key, and we read and write it again.
      #expect(try sops.set(name, isFlat ? "[\"PASSWORD\"]" : "[\"db\"][\"password\"]", to: "\"theirs\""))
      #expect(await tell(name, old) == .value("theirs"))
      #expect(try sops.rotate(name))
      #expect(await tell(name, new) == .value("added"))
      _ = try await target.write(changes([new: "again"]), at: place(name))
      #expect(try sops.decrypt(name)?.contains("again") == true)
    }
  }

  @Test("only changed values, the MAC and the time change in the text")
  func smallest() async throws {
    try scratch.write(Self.yaml, to: "s.yaml")
    try sops.encrypt("s.yaml")
    let before = try scratch.text("s.yaml").split(separator: "\n", omittingEmptySubsequences: false)
    _ = try await target.write(changes(["/db/password": "changed"]), at: place("s.yaml"))
    let after = try scratch.text("s.yaml").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(before.count == after.count)
    let changed = zip(before, after).filter { $0 != $1 }.map {
      $1.split(separator: ":")[0].trimmingCharacters(in: .whitespaces)
    }
    #expect(changed == ["password", "lastmodified", "mac"])
    let file = try FileManager.default.attributesOfItem(atPath: scratch["s.yaml"])[.systemFileNumber] as? Int
    _ = try await target.write(changes(["/db/password": "changed"], removing: ["nothing"]), at: place("s.yaml"))
    #expect(try FileManager.default.attributesOfItem(atPath: scratch["s.yaml"])[.systemFileNumber] as? Int == file)
  }

  @Test("the contract of targets", arguments: ["s.yaml", "s.json", "s.env"])
  func contract(name: String) async throws {
    let text = ["s.yaml": "first: x\n", "s.json": "{\"first\": \"x\"}\n", "s.env": "first=x\n"][name] ?? ""
    try scratch.write(text, to: name)
    try sops.encrypt(name)
    try scratch.folder("folder.yaml")
    let contract = TargetContract(target, at: place(name), unusable: place("folder.yaml"))
    #expect(await contract.violations() == [])
    #expect(try sops.decrypt(name) != nil)
  }

  @Test(
    "each rule about what is encrypted is followed, and no value is written where it would be in the clear",
    arguments: [
      (options: ["--encrypted-suffix", "_secret"], encrypted: "new_secret", clear: "new"),
      (options: ["--unencrypted-suffix", "_open"], encrypted: "new", clear: "new_open"),
      (options: ["--encrypted-regex", "^(data|secret.*)$"], encrypted: "secret2", clear: "xdata"),
      (options: ["--unencrypted-regex", "(?i)^PUB"], encrypted: "xpub", clear: "public"),
      (options: ["--encrypted-regex", "^s", "--mac-only-encrypted"], encrypted: "s2", clear: "new"),
    ])
  func rules(_ given: (options: [String], encrypted: String, clear: String)) async throws {
    try scratch.write("a: one\ndata: two\nsecret: three\npub: four\nb_secret: five\nc_open: six\n", to: "s.yaml")
    try sops.encrypt("s.yaml", given.options)
    for (name, value) in [("a", "one"), ("data", "two"), ("secret", "three"), ("pub", "four"), ("c_open", "six")] {
      #expect(await tell("s.yaml", name) == .value(value), "\(name)")
    }
    _ = try await target.write(changes([given.encrypted: "written"]), at: place("s.yaml"))
    #expect(try !scratch.text("s.yaml").contains("written"))
    #expect(try sops.decrypt("s.yaml")?.contains("\(given.encrypted): written") == true)
    let blockers = await target.writeBlockers(setting: [given.clear], removing: [], at: place("s.yaml"))
    #expect(blockers.setting[given.clear]?.reason.contains("would not be encrypted") == true)
    let results = try await target.write(changes([given.clear: "canary"]), at: place("s.yaml"))
    guard case .refused = results[given.clear] else {
      Issue.record("\(given.clear) was written")
      return
    }
  }

  @Test("a file that anything else than sops changed is unreadable, and no value of it is released")
  func tampered() async throws {
    try scratch.write("a: one\nb: two\nc_unencrypted: three\nd:\n    - four\n    - five\n", to: "s.yaml")
    try sops.encrypt("s.yaml")
    let text = try scratch.text("s.yaml")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func value(_ index: Int) -> String { lines[index].split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
    let edits: [(String, (inout [String]) -> Void)] = [
      ("an unencrypted value", { $0[2] = "c_unencrypted: other" }), ("a removed line", { $0.remove(at: 1) }),
      ("swapped values", { ($0[0], $0[1]) = ("a: " + value(1), "b: " + value(0)) }),
      ("swapped items", { ($0[4], $0[5]) = ($0[5], $0[4]) }), ("a plain value", { $0[0] = "a: one" }),
      ("a renamed value", { $0[0] = "z: " + value(0) }), ("an added value", { $0.insert("z_unencrypted: x", at: 0) }),
      ("the time", { lines in lines = lines.map { $0.replacing("lastmodified: \"20", with: "lastmodified: \"19") } }),
      ("the rule", { lines in lines = lines.map { $0.replacing("suffix: _unencrypted", with: "suffix: _other") } }),
    ]
    for (what, edit) in edits {
      var edited = lines
      edit(&edited)
      #expect(edited != lines, "\(what)")
      try scratch.write(edited.joined(separator: "\n"), to: "s.yaml")
      for name in ["a", "b", "c_unencrypted"] {
        guard case .failed(.unreadable, let reason) = await tell("s.yaml", name) else {
          Issue.record("\(what): \(name) is released")
          continue
        }
        #expect(!reason.contains("one") || what == "a plain value", "\(reason)")
      }
      #expect(try sops.decrypt("s.yaml") == nil, "sops accepts \(what)")
      await #expect(throws: AccessFailure.self) {
        _ = try await target.write(changes(["a": "new"]), at: place("s.yaml"))
      }
    }
  }

  @Test("a file with another data key is another place; changed values leave it the same")
  func place() async throws {
    try scratch.write("a: one\n", to: "s.yaml")
    try sops.encrypt("s.yaml")
    let question = TargetQuestion(names: ["a"])
    let before = await target.look(question, at: place("s.yaml")).placeId
    #expect(before?.hasPrefix("data key ") == true)
    _ = try await target.write(changes(["a": "two"]), at: place("s.yaml"))
    #expect(try sops.set("s.yaml", "[\"a\"]", to: "\"three\""))
    #expect(await target.look(question, at: place("s.yaml")).placeId == before)
    #expect(try sops.rotate("s.yaml"))
    #expect(await target.look(question, at: place("s.yaml")).placeId != before)
  }

  @Test(
    "whatever byte is changed, no other value is read, and nothing ends the process",
    arguments: ["s.yaml", "s.json", "s.env"])
  func changed(name: String) async throws {
    let text =
      ["s.yaml": "a: one\nb:\n    - two\n", "s.json": "{\"a\": \"one\", \"b\": [\"two\"]}"][name] ?? "a=one\nb=two\n"
    try scratch.write(text, to: name)
    try sops.encrypt(name)
    let bytes = Array(try scratch.text(name).utf8)
    var random = Seeded(seed: 7)
    for _ in 0..<300 {
      var changed = bytes
      for _ in 0...random.below(3) {
        let at = random.below(changed.count)
        switch random.below(3) {
        case 0: changed[at] = UInt8(truncatingIfNeeded: random.next())
        case 1: changed.remove(at: at)
        default: changed.insert(random.pick(Array("-:#{}[]\"'\n ,=&*|>".utf8)), at: at)
        }
      }
      try Data(changed).write(to: URL(fileURLWithPath: scratch[name]))
      switch await tell(name, "a") {
      case .value("one"), .missing, .failed: break
      case let other: Issue.record("\(String(describing: other))")
      }
    }
  }

  @Test("several documents are authenticated together, and each keeps its metadata")
  func documents() async throws {
    try scratch.write("a: one\n---\n# second\nb: two\n", to: "s.yaml")
    try sops.encrypt("s.yaml")
    #expect(await tell("s.yaml", "a") == .value("one"))
    #expect(await tell("s.yaml", "b") == .missing)
    _ = try await target.write(changes(["a": "new", "c": "added"]), at: place("s.yaml"))
    let text = try #require(try sops.decrypt("s.yaml"))
    #expect(text.contains("a: new\nc: added\n---\n") && text.contains("b: two"))
  }

  @Test("a missing identity, another one, and a missing file are told apart")
  func identities() async throws {
    try scratch.write("a: one\n", to: "s.yaml")
    try sops.encrypt("s.yaml")
    func told(_ variables: [String: String], home: String? = nil) async -> Told? {
      await SOPSSource(SourceContext(scratch, variables: variables, home: home)).tell(.file("sops", "s.yaml", "a"))
    }
    let key = try #require(try scratch.text("keys.txt").split(separator: "\n").last.map(String.init))
    #expect(await told(["SOPS_AGE_KEY": "# mine\n" + key]) == .value("one"))
    try scratch.folder("sops")
    try scratch.folder("sops/age")
    try scratch.write(try scratch.text("keys.txt"), to: "sops/age/keys.txt")
    #expect(await told(["XDG_CONFIG_HOME": scratch.path]) == .value("one"))
    #expect(await told([:]) == .failed(.unauthenticated, "No age identity was found."))
    #expect(
      await told(["SOPS_AGE_KEY_FILE": scratch["none"]])
        == .failed(.unauthenticated, "The file that SOPS_AGE_KEY_FILE names does not exist."))
    try Child.run(["age-keygen", "-o", scratch["other.txt"]])
    guard case .failed(.denied, _) = await told(["SOPS_AGE_KEY_FILE": scratch["other.txt"]]) else {
      Issue.record("it is not denied")
      return
    }
    #expect(await tell("none.yaml", "a") == .missing)
    guard case .failed(.unreadable, let reason) = await source.tell(.file("sops", "keys.txt", "a")) else {
      Issue.record("it is readable")
      return
    }
    #expect(!reason.contains("AGE-SECRET"))
    let blockers = await target.writeBlockers(setting: ["a"], removing: [], at: place("new.yaml"))
    #expect(blockers.place?.reason.contains("SOPS files are created by SOPS") == true)
  }
}

@Suite("The expressions in the rules of SOPS files")
struct LinearPatternTests {
  @Test(
    "match as in RE2",
    arguments: [
      ("^(data|stringData)$", ["data", "stringData"], ["xdata", "datax", ""]), ("secret", ["my_secret_1"], ["sec"]),
      ("^[A-Z_][a-z0-9-]+$", ["A-b", "_1"], ["a", "A", "AB"]), ("(?i)PASS", ["password"], ["pa ss"]),
      ("a{2,3}$", ["aa", "xaaa"], ["a"]), ("^a{2}$", ["aa"], ["aaa"]), ("^(?:ab)*$", ["", "abab"], ["aba"]),
      (#"\.key$"#, ["x.key"], ["xkey"]), (#"^\w+\d$"#, ["a_1"], ["1", "a"]), ("[^a]b", ["cb"], ["ab", "b"]),
      ("", ["", "x"], []), ("a|", ["a", ""], []), ("^$", [""], ["x"]), ("[]a]", ["]", "a"], ["b"]),
    ])
  func matching(pattern: String, those: [String], others: [String]) throws {
    let pattern = try #require(LinearPattern(pattern))
    var effort = 100_000
    for text in those { #expect(pattern.matches(Array(text.utf8), within: &effort) == true, "\(text)") }
    for text in others { #expect(pattern.matches(Array(text.utf8), within: &effort) == false, "\(text)") }
  }

  @Test(
    "anything else is refused",
    arguments: ["(", ")", "[a", "*", "a**", #"\b"#, "(?=a)", "(?P<n>a)", "[[:alpha:]]", "a{3,2}", "{", "ü", #"\"#])
  func refused(pattern: String) { #expect(LinearPattern(pattern) == nil) }

  @Test("an expression on which others hang ends")
  func bounded() throws {
    let text = Array(repeating: UInt8(ascii: "a"), count: 1000) + [UInt8(ascii: "b")]
    for pattern in ["^(a+)+$", "^(((a*)*)*)*$", "^(a|a)*$", "(.*)*(.*)*(.*)*x"] {
      var effort = 1_000_000
      #expect(try #require(LinearPattern(pattern)).matches(text, within: &effort) != true)
    }
  }
}

@Suite("Numbers as Go writes them")
struct GoNumberTests {
  @Test(
    "floating-point numbers have no exponent",
    arguments: [
      (1.5, "1.5"), (1000, "1000"), (1e21, "1000000000000000000000"), (1e-7, "0.0000001"), (-0.5, "-0.5"), (0, "0"),
      (123456.789e3, "123456789"), (1.25e-3, "0.00125"), (-1e22, "-10000000000000000000000"),
    ])
  func floats(number: Double, text: String) { #expect(GoNumber.text(of: number) == text) }

  @Test(
    "integers may have a prefix",
    arguments: [("0x1F", 31), ("010", 8), ("0o10", 8), ("0b11", 3), ("-7", -7), ("+5", 5), ("0", 0)])
  func integers(text: String, number: Int) { #expect(GoNumber.integer(text) == number) }
}

@Suite("Versions of SOPS")
struct SOPSVersionTests {
  @Test(
    "large whole numbers in JSON are exact in files of a newer SOPS",
    arguments: [
      ("3.11.0", false), ("3.13.1", false), ("3.13.2", true), ("3.14.0-rc.1", true), ("4", true), ("", false),
    ])
  func integers(version: String, isExact: Bool) {
    let version = SOPSVersion(Array(version.utf8))
    for (text, plain) in [
      ("9007199254740993", isExact ? "9007199254740993" : "9007199254740992"), ("5432", "5432"), ("-7", "-7"),
      ("2.50", "2.5"), ("1e3", "1000"), ("18446744073709551616", "18446744073709552000"), ("true", "True"),
    ] {
      #expect(SOPSJSON.canonical(plain: Array(text.utf8), version) == Array(plain.utf8), "\(text)")
    }
  }
}
