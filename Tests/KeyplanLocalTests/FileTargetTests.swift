import Foundation
import KeyplanDocuments
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal

@Suite("Files as targets")
struct FileTargetTests {
  private let scratch: Scratch
  private let dotenv: FileTarget<DotenvDocument>
  private let json: FileTarget<JSONDocument>

  init() throws {
    scratch = try Scratch()
    let context = TargetContext(folder: scratch.path, home: nil)
    (dotenv, json) = (FileTarget<DotenvDocument>(context), FileTarget<JSONDocument>(context))
  }

  @Test("what is not managed stays, byte for byte")
  func preservation() async throws {
    let before = "# mine\r\nexport  A = 'old'  # why\r\n\r\nOTHER=\"$x\"\r\nB=gone\r\nLAST=no newline"
    try scratch.write(before, to: "file")
    _ = try await dotenv.write(changes(["A": "new", "C": "more"], removing: ["B"]), at: place())
    let after = try scratch.text("file")
    #expect(
      after == "# mine\r\nexport  A = 'new'  # why\r\n\r\nOTHER=\"$x\"\r\nLAST=no newline\r\nC=more\r\n")

    try scratch.write("{\n\t\"n\" : 1.50,\n\t\"A\":\"old\",\n\t\"B\": \"gone\", \"deep\": {\"x\": [ ]}\n}", to: "file")
    _ = try await json.write(changes(["A": "new", "/deep/C": "more"], removing: ["B"]), at: place())
    let written = try scratch.text("file")
    #expect(written.hasPrefix("{\n\t\"n\" : 1.50,\n\t\"A\":\"new\","))
    #expect(written.contains("\"x\": [ ]") && !written.contains("gone"))

    let context = TargetContext(folder: scratch.path, home: nil)
    try scratch.write("# mine\r\nA : 'old' # why\r\nx: &x {y: 1.50}\r\nB: gone # too\r\nz: *x", to: "file")
    _ = try await FileTarget<YAMLDocument>(context).write(
      changes(["A": "new", "C": "more"], removing: ["B"]), at: place())
    #expect(try scratch.text("file") == "# mine\r\nA : 'new' # why\r\nx: &x {y: 1.50}\r\nz: *x\r\nC: more\r\n")

    let head = "<plist><!-- mine -->\r\n<dict>\r\n  <key>x</key> <real>1.50</real>"
    let pair = "\r\n  <key>A</key>\r\n  <string>"
    try scratch.write("\(head)\(pair)old</string><key>B</key><string>gone</string>\r\n</dict></plist>", to: "file")
    _ = try await FileTarget<PlistDocument>(context).write(
      changes(["A": "<new>", "C": "more"], removing: ["B"]), at: place())
    let added = "\r\n  <key>C</key>\r\n  <string>more</string>"
    #expect(try scratch.text("file") == "\(head)\(pair)&lt;new&gt;</string>\(added)\r\n</dict></plist>")
  }

  @Test("null is no value at a target, as at a source, and is replaced by one")
  func placeholders() async throws {
    let context = TargetContext(folder: scratch.path, home: nil)
    let cases: [(target: any SecretTarget, text: String, after: String)] = [
      (json, "{\"A\": null}\n", "{\"A\": \"new\"}\n"),
      (FileTarget<YAMLDocument>(context), "A:\nB: x\n", "A: new\nB: x\n"),
      (FileTarget<YAMLDocument>(context), "A: ~\n", "A: new\n"),
    ]
    for (target, text, after) in cases {
      try scratch.write(text, to: "file")
      guard case .values(let values) = await target.read(["A"], at: place()) else {
        Issue.record("\(text) was not read")
        continue
      }
      #expect(values.isEmpty, "\(text)")
      #expect(await target.writeBlockers(setting: ["A"], removing: [], at: place()).isEmpty, "\(text)")
      _ = try await target.write(changes(["A": "new"]), at: place())
      #expect(try scratch.text("file") == after)
    }
  }

  @Test("what is in the way of writing shows without writing, and is what writing says")
  func writeBlockers() async throws {
    try scratch.write("A=1\n", to: "frozen", mode: 0o400)
    try scratch.write("A=1\n", to: "twice")
    try #require(link(scratch["twice"], scratch["second"]) == 0)
    try scratch.folder("closed")
    try #require(chmod(scratch["closed"], 0o500) == 0)
    try scratch.write("no folder", to: "plain")
    for (location, hint) in [
      ("missing/file", "Create that folder, or correct the target's path."), ("frozen", "chmod u+w"),
      ("second", "find /"), ("closed/file", "chmod u+w"), ("plain/file", nil),
    ] {
      let obstacle = try #require(
        await dotenv.writeBlockers(setting: ["A"], removing: [], at: place(location)).place, "\(location)")
      #expect(obstacle.hint?.contains(hint ?? "") ?? (hint == nil), "\(obstacle)")
      await #expect(throws: AccessFailure(.unreadable, obstacle.reason), "\(location)") {
        _ = try await dotenv.write(changes(["A": "2"]), at: place(location))
      }
    }
    #expect(await dotenv.writeBlockers(setting: [], removing: [], at: place("plain")).isEmpty)
    #expect(await dotenv.writeBlockers(setting: ["A"], removing: [], at: place("new")).isEmpty)
    #expect(
      await dotenv.writeBlockers(setting: ["A"], removing: [], at: place("plain")).place != nil, "it is no dotenv file")
  }

  @Test("names that cannot be edited show without writing, and writing refuses the same ones")
  func names() async throws {
    let context = TargetContext(folder: scratch.path, home: nil)
    let (json, yaml, plist) = (
      FileTarget<JSONDocument>(context), FileTarget<YAMLDocument>(context), FileTarget<PlistDocument>(context)
    )
    try scratch.write("[1]", to: "array")
    try scratch.write("{\"A\": 1, \"B\": \"x\", \"C\": {}}", to: "object")
    try scratch.write("A: &a x\nB: *a\nC: x\nD: |\n  x\n", to: "anchors")
    try scratch.write("- x\n", to: "list")
    try scratch.write("<plist version=\"1.0\"><dict><key>A</key><true/></dict></plist>", to: "plist")
    let cases: [(any SecretTarget, String, set: Set<String>, removed: Set<String>)] = [
      (json, "array", ["A", "B"], []), (json, "object", ["C", "/B/c"], ["C"]),
      (yaml, "anchors", ["A", "B", "D"], ["A", "B"]),
      (yaml, "list", ["A", "B", "C"], []), (plist, "plist", ["A"], []),
    ]
    for (target, location, set, removed) in cases {
      // At a place that has neither, "B" and "/B/c" exclude each other.
      let all = Set(["A", "B", "C", "D"] + (location == "plist" ? [] : ["/B/c"]))
      let writeBlockers = await target.writeBlockers(setting: all, removing: all, at: place(location))
      var refused: (set: Set<String>, removed: Set<String>) = ([], [])
      for name in all {
        let before = try scratch.text(location)
        // The whole write fails only if nothing else could be written either.
        let set = try? await target.write(changes([name: "placeholder"]), at: place(location))[name]
        if set != .done() { refused.set.insert(name) }
        try scratch.write(before, to: location)
        let removed = try? await target.write(changes([:], removing: [name]), at: place(location))[name]
        if removed != .done() { refused.removed.insert(name) }
        try scratch.write(before, to: location)
      }
      #expect(Set(writeBlockers.setting.keys) == refused.set, "\(location)")
      #expect(Set(writeBlockers.removing.keys) == refused.removed, "\(location)")
      #expect(refused.set.isSuperset(of: set) && refused.removed.isSuperset(of: removed), "\(location): \(refused)")
    }
  }

  @Test("a file keeps its mode, a new one is the owner's alone, and a mode that is asked for is set")
  func chosenModes() async throws {
    try scratch.write("A=1\n", to: "wide", mode: 0o664)
    _ = try await dotenv.write(changes(["A": "2"]), at: place("wide"))
    #expect(await dotenv.mode(at: place("wide")) == FileMode("0664"))
    _ = try await dotenv.write(changes(["A": "2"]), at: place("new"))
    #expect(await dotenv.mode(at: place("new")) == FileMode("0600"))
    #expect(await dotenv.mode(at: place("missing")) == nil)
    for name in ["wide", "new", "made"] {
      // With values and without: a change of the mode alone is one, too.
      _ = try await dotenv.write(
        TargetChanges(set: [("A", SecretBox(Array("2".utf8)))], remove: [], mode: FileMode("0640")), at: place(name))
      #expect(await dotenv.mode(at: place(name)) == FileMode("0640"), "\(name)")
      _ = try await dotenv.write(TargetChanges(set: [], remove: [], mode: FileMode("0600")), at: place(name))
      #expect(await dotenv.mode(at: place(name)) == FileMode("0600"), "\(name)")
      #expect(try scratch.text(name) == "A=2\n")
    }
  }

  @Test(
    "a name that cannot be edited keeps no other one from being written and removed",
    arguments: [
      (type: "json", before: #"{"BAD": {"x": 1}, "A": "old", "B": "old"}"#, after: #"{"BAD": {"x": 1}, "A": "new"}"#),
      (type: "yaml", before: "BAD: !vault |\n  x\nA: old\nB: old\n", after: "BAD: !vault |\n  x\nA: new\n"),
      (type: "yaml", before: "BAD: &a x\nA: old\nB: old\n", after: "BAD: &a x\nA: new\n"),
      (
        type: "plist",
        before: "<plist version=\"1.0\"><dict><key>BAD</key><array/><key>A</key><string>old</string></dict></plist>",
        after: "<plist version=\"1.0\"><dict><key>BAD</key><array/><key>A</key><string>new</string></dict></plist>"
      ),
    ])
  func neighbours(type: String, before: String, after: String) async throws {
    try scratch.write(before, to: "file")
    let targets = LocalBackends.targets(TargetContext(folder: scratch.path, home: nil))
    let target = try #require(targets.first { $0.backend.name == type })
    let blockers = await target.writeBlockers(setting: ["A", "BAD"], removing: ["B"], at: place())
    #expect(blockers.place == nil && Array(blockers.setting.keys) == ["BAD"] && blockers.removing.isEmpty)
    let results = try await target.write(changes(["A": "new", "BAD": "new"], removing: ["B"]), at: place())
    #expect(results["A"] == .done() && results["B"] == .done())
    guard case .refused = results["BAD"] else {
      Issue.record("BAD is not refused")
      return
    }
    #expect(try scratch.text("file") == after)
  }

  @Test("a value that holds NUL is nobody's: it is found to be there, and never taken in")
  func nul() async throws {
    try scratch.write(#"{"A": "x\u0000y", "B": "z"}"#, to: "file")
    guard case .values(let found) = await json.read(["A", "B"], at: place()) else {
      Issue.record("the file is readable")
      return
    }
    guard case .other = found["A"], case .text = found["B"] else {
      Issue.record("\(found)")
      return
    }
  }

  @Test("a file of the program's own is not written, even if it was linked there after the manifest was read")
  func ownFiles() async throws {
    try scratch.write("A=1\n", to: "own")
    try #require(symlink("own", scratch["link"]) == 0)
    let own = scratch["own"]
    let context = TargetContext(folder: scratch.path, home: nil) { path in
      [own, own.dropLast(3) + "link"].contains(path) ? "the manifest" : nil
    }
    let target = FileTarget<DotenvDocument>(context)
    for name in ["own", "link"] {
      let writeBlockers = await target.writeBlockers(setting: ["A"], removing: [], at: place(name))
      let obstacle = try #require(writeBlockers.place)
      #expect(obstacle.reason == "\(name) is the manifest, which a target cannot write." && !obstacle.isOnlyHere)
      await #expect(throws: AccessFailure(.unreadable, obstacle.reason)) {
        _ = try await target.write(changes(["A": "2"]), at: place(name))
      }
    }
    #expect(try scratch.text("own") == "A=1\n")
  }

  @Test("what is in the way of another user is in the way of him alone")
  func rights() async throws {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(chmod(scratch.path, 0o755) == 0)
      try scratch.folder("closed")
      try #require(chmod(scratch["closed"], 0o755) == 0)
      try scratch.write("A=1\n", to: "file", mode: 0o644)
      let isRoot = geteuid() == 0
      Child.becomeNobody()
      let target = FileTarget<DotenvDocument>(TargetContext(folder: scratch.path, home: nil))
      for name in ["closed/new", "file"] where isRoot {
        let writeBlockers = await target.writeBlockers(
          setting: ["A"], removing: [], at: Destination(type: "dotenv", location: name))
        guard writeBlockers.place?.isOnlyHere == true else { exit(EXIT_FAILURE) }
      }
      exit(EXIT_SUCCESS)
    }
  }

  @Test("a new file has mode 0600 and an existing one keeps its own, whatever the umask")
  func modes() async throws {
    await #expect(processExitsWith: .success) {
      umask(0)
      let scratch = try Scratch()
      let target = FileTarget<DotenvDocument>(TargetContext(folder: scratch.path, home: nil))
      try scratch.write("A=1\n", to: "old", mode: 0o640)
      for name in ["new", "old"] {
        let change = TargetChanges(set: [("A", SecretBox(Array("2".utf8)))], remove: [])
        _ = try await target.write(change, at: Destination(type: "dotenv", location: name))
      }
      let modes = try (mode(scratch["new"]), mode(scratch["old"]))
      exit(modes == (0o600, 0o640) ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test("writing what is there already, or removing what is not, touches nothing")
  func nothingToDo() async throws {
    try scratch.write("A = '1' # x\n", to: "file")
    let before = try identity(scratch["file"])
    _ = try await dotenv.write(changes(["A": "1"], removing: ["B"]), at: place())
    #expect(try identity(scratch["file"]) == before)
    _ = try await dotenv.write(changes([:], removing: ["B"]), at: place("absent"))
    #expect(!FileManager.default.fileExists(atPath: scratch["absent"]))
  }

  @Test("a file from which everything was withdrawn stays, empty")
  func emptied() async throws {
    try scratch.write("A=1\n", to: "file")
    _ = try await dotenv.write(changes([:], removing: ["A"]), at: place())
    #expect(try scratch.text("file") == "")
  }

  @Test("what is no string is seen, and not written over")
  func other() async throws {
    let before = #"{"A": {"x": 1}, "B": null}"#
    try scratch.write(before, to: "file")
    guard case .values(let values) = await json.read(["A", "B", "C"], at: place()) else {
      Issue.record("it was not read")
      return
    }
    // Null is how a format writes that there is no value.
    #expect(values.keys.sorted() == ["A"])
    for (name, value) in values {
      guard case .other = value else {
        Issue.record("\(name) is a text")
        continue
      }
    }
    guard case .refused = try await json.write(changes(["A": "canary"]), at: place())["A"] else {
      Issue.record("it was written")
      return
    }
    #expect(try scratch.text("file") == before)
  }

  @Test("what cannot be a place for values is refused, and stays as it was")
  func refused() async throws {
    let elsewhere = try Scratch()
    try elsewhere.write("A=old\n", to: "file")
    try scratch.folder("folder")
    try scratch.pipe("pipe")
    try scratch.link("out", to: elsewhere["file"])
    try scratch.link("outFolder", to: elsewhere.path)
    try scratch.write("A=\"canary\nwhat is this\n", to: "unparseable")
    for name in ["folder", "pipe", "out", "outFolder/file", "outFolder/new", elsewhere["file"], "unparseable"] {
      let failure = await expectFailure(dotenv, name)
      #expect(failure?.reason.contains("canary") == false)
      guard case .failed = await dotenv.read(["A"], at: place(name)) else {
        #expect(name == "outFolder/new", "\(name) is read")
        continue
      }
    }
    #expect(try elsewhere.text("file") == "A=old\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["file"])
    #expect(try scratch.text("unparseable") == "A=\"canary\nwhat is this\n")
  }

  @Test("outside the folder, what was allowed is what is written")
  func allowed() async throws {
    let elsewhere = try Scratch()
    let allowed = Destination(
      type: "dotenv", location: "ignored", surface: ExternalAccess(.path, elsewhere["file"]))
    _ = try await dotenv.write(changes(["A": "1"]), at: allowed)
    #expect(try elsewhere.text("file") == "A=1\n")
  }

  @Test("a read-only file, or one with a second name, is read and not written")
  func readOnly() async throws {
    try scratch.write("A=old\n", to: "locked", mode: 0o400)
    try scratch.write("A=old\n", to: "file")
    try #require(link(scratch["file"], scratch["second"]) == 0)
    for name in ["locked", "file"] {
      await expectFailure(dotenv, name)
      #expect(try scratch.text(name) == "A=old\n")
      guard case .values(let values) = await dotenv.read(["A"], at: place(name)) else {
        Issue.record("\(name) is not read")
        continue
      }
      #expect(values.count == 1)
    }
  }

  @Test("a directory that is missing is not made")
  func missingDirectory() async throws {
    guard case .values(let values) = await dotenv.read(["A"], at: place("no/file")) else {
      Issue.record("a file that is not there holds nothing")
      return
    }
    #expect(values.isEmpty)
    let failure = await expectFailure(dotenv, "no/file")
    #expect(failure?.reason == "\(scratch["no"]) does not exist.")
    #expect(!FileManager.default.fileExists(atPath: scratch["no"]))
  }

  @Test("a full disk leaves the old bytes and nothing beside them")
  func full() async throws {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let target = FileTarget<DotenvDocument>(TargetContext(folder: scratch.path, home: nil))
      try scratch.write("A=old\n", to: "file")
      // A write behind this size fails as on a full disk, once the signal for it is out of the way.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100, rlim_max: 100)
      precondition(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let value = SecretBox([UInt8](repeating: UInt8(ascii: "x"), count: 500))
      do throws(AccessFailure) {
        _ = try await target.write(
          TargetChanges(set: [("A", value)], remove: []), at: Destination(type: "dotenv", location: "file"))
        exit(EXIT_FAILURE)
      } catch {
        let isWhole = try scratch.text("file") == "A=old\n"
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        exit(isWhole && names == ["file"] && error.reason.contains("disk is full") ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }
  }

  @Test(
    "a file that somebody changes, makes or takes away at the same moment is not written over",
    arguments: [
      (before: "A=1\n", then: "A=1\nMINE=2\n"), (before: nil, then: "MINE=2\n"), (before: "A=1\n", then: nil),
    ] as [(before: String?, then: String?)])
  func concurrent(_ given: (before: String?, then: String?)) async throws {
    let scratch = scratch
    if let before = given.before { try scratch.write(before, to: "file") }
    let then = given.then
    let target = FileTarget<DotenvDocument>(TargetContext(folder: scratch.path, home: nil)) {
      if let then { _ = try? scratch.write(then, to: "file") } else { unlink(scratch["file"]) }
    }
    await #expect(throws: AccessFailure.self) { _ = try await target.write(changes(["A": "9"]), at: place()) }
    #expect((try? scratch.text("file")) == given.then)
  }

  private func place(_ name: String = "file") -> Destination { Destination(type: "any", location: name) }

  private func changes(_ values: [String: String], removing names: [String] = []) -> TargetChanges {
    TargetChanges(
      set: values.sorted { $0.key < $1.key }.map { ($0.key, SecretBox(Array($0.value.utf8))) }, remove: names)
  }

  @discardableResult
  private func expectFailure(_ target: some SecretTarget, _ name: String) async -> AccessFailure? {
    let file = name == "A" ? "file" : name
    do throws(AccessFailure) {
      _ = try await target.write(changes(["A": "canary"]), at: place(file))
      Issue.record("\(name) was written")
      return nil
    } catch {
      #expect(error.reason.hasSuffix(".") && !error.reason.contains("canary"))
      return error
    }
  }

  private func identity(_ path: String) throws -> [Int] {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return [Int(status.st_ino), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_ctim.tv_nsec)]
  }
}

private func mode(_ path: String) throws -> mode_t {
  var status = stat()
  try #require(stat(path, &status) == 0)
  return status.st_mode & 0o777
}
