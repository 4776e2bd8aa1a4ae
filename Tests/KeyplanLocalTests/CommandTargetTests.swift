import Foundation
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal
@testable import KeyplanModel

@Suite("Commands as targets")
struct CommandTargetTests {
  private let scratch: Scratch
  private let target: CommandTarget

  /// Keeps its values in a JSON file, and what it was given in others.
  private static let push = """
    #!/usr/bin/python3
    import json, os, sys
    text = sys.stdin.read()
    open("given.json", "w").write(text)
    open("seen.txt", "w").write(repr(sys.argv) + repr(dict(os.environ)))
    store = json.load(open("store.json")) if os.path.exists("store.json") else {}
    change = json.loads(text)
    store.update(change["set"])
    for name in change["remove"]: store.pop(name, None)
    json.dump(store, open("store.json", "w"))
    """
  private static let list = """
    #!/usr/bin/python3
    import os
    print(open("store.json").read() if os.path.exists("store.json") else "{}")
    """

  init() throws {
    scratch = try Scratch()
    target = CommandTarget(
      TargetContext(
        folder: scratch.path, home: nil,
        variables: ["PATH": "/usr/bin:/bin", "TMPDIR": "/tmp", "STAGE": "test", "OTHER": "canary"]))
    for (name, text) in [("push", Self.push), ("list", Self.list)] {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let inside = ["import os", "os.chdir(\"\(scratch.path)\")"]
      try scratch.write(
        ([String(lines[0])] + inside + lines.dropFirst().map(String.init)).joined(separator: "\n"), to: name,
        mode: 0o700)
    }
  }

  private func place(_ write: [String] = ["./push"], _ read: [String] = ["./list"], variables: String? = nil)
    -> Destination
  {
    var values = ["command": QuotedWord.joined(write), "read": QuotedWord.joined(read)]
    values["variables"] = variables
    let location = TargetGrammar.command.location(of: values, through: nil)
    return Destination(type: "command", location: location, surface: CommandSource.backend.access(at: location))
  }

  private func changes(_ values: [String: String], removing names: [String] = []) -> TargetChanges {
    TargetChanges(
      set: values.sorted { $0.key < $1.key }.map { ($0.key, SecretBox(Array($0.value.utf8))) }, remove: names)
  }

  @Test("the contract of targets")
  func contract() async throws {
    let contract = TargetContract(target, at: place(), unusable: place(["./absent"], ["./absent"]))
    #expect(await contract.violations() == [])
  }

  @Test(
    "a place is one text, and its commands come back from it",
    arguments: [["./a"], ["./a b", "", "x,y", "(z)", "\"q\" \\"]])
  func location(arguments: [String]) throws {
    let place = place(arguments, ["list", "--all"], variables: "STAGE HOME")
    let commands = try #require(place.commands)
    #expect(commands.write.arguments == arguments && commands.read?.arguments == ["list", "--all"])
    #expect(commands.write.variables == ["STAGE", "HOME"])
    #expect(place.surface == ExternalAccess(.command, place.location))
  }

  @Test("values are on the standard input alone, and only named variables are given")
  func channels() async throws {
    _ = try await target.write(
      changes(["A": "canary-value\n\u{1}ü"], removing: ["B"]), at: place(["./push", "--x"], variables: "STAGE"))
    #expect(try scratch.text("given.json") == "{\"set\":{\"A\":\"canary-value\\u000a\\u0001ü\"},\"remove\":[\"B\"]}\n")
    let seen = try scratch.text("seen.txt")
    #expect(!seen.contains("canary") && seen.contains("'--x'") && seen.contains("'STAGE': 'test'"))
  }

  @Test("without a reading program, nothing is run to read, and every name may be there")
  func neverRead() async throws {
    let location = TargetGrammar.command.location(of: ["command": "./push"], through: nil)
    let place = Destination(type: "command", location: location, surface: CommandSource.backend.access(at: location))
    guard case .marks(let marks) = await target.read(["A", "B"], at: place) else {
      Issue.record("no marks")
      return
    }
    #expect(marks == ["A": nil, "B": nil])
    #expect((try? scratch.text("given.json")) == nil)
    #expect(try await target.write(changes(["A": "1"], removing: ["B"]), at: place) == ["A": .done(), "B": .done()])
    #expect(try scratch.text("store.json") == #"{"A": "1"}"#)
  }

  @Test("null is present and not shown: marks, for all names")
  func hidden() async throws {
    try scratch.write("{\"A\": null, \"B\": \"x\", \"C\": {}}", to: "store.json")
    guard case .marks(let marks) = await target.read(["A", "B", "D"], at: place()) else {
      Issue.record("no marks")
      return
    }
    #expect(marks == ["A": nil, "B": nil])
    guard case .values(let values) = await target.read(["B", "C"], at: place()), case .other? = values["C"] else {
      Issue.record("no values")
      return
    }
  }

  @Test("a program that fails leaves it unknown what was written; one that cannot start wrote nothing")
  func failures() async throws {
    try scratch.write("#!/bin/sh\necho canary >&2; exit 3\n", to: "failing", mode: 0o700)
    #expect(
      try await target.write(changes(["A": "1"], removing: ["B"]), at: place(["./failing"]))
        == [
          "A": .unknown("\"./failing\" failed with exit code 3. Run it manually to see why."),
          "B": .unknown("\"./failing\" failed with exit code 3. Run it manually to see why."),
        ])
    await #expect(throws: AccessFailure.self) {
      _ = try await target.write(changes(["A": "1"]), at: place(["./absent"]))
    }
    guard case .failed(let failure) = await target.read(["A"], at: place(["./push"], ["./failing"])) else {
      Issue.record("it was read")
      return
    }
    #expect(failure.kind == .unreachable && !failure.reason.contains("canary"))
  }

  @Test(
    "what the reading program shows after the write decides",
    arguments: [
      (#"{"A": "1", "other": "x"}"#, nil, nil), (#"{"A": "2"}"#, "another value under A", nil),
      ("{}", "no value under A", nil),
      (#"{"A": 1}"#, nil, nil), (#"{"A": [1]}"#, "another value under A", nil),
      (#"{"A": "1", "B": "x"}"#, nil, "a value under B"),
      (#"{"A": null}"#, nil, nil), (#"{"B": null}"#, "no value under A", "a value under B"),
      ("canary", "JSON object", "JSON object"),
    ] as [(String, String?, String?)])
  func readBack(shown: String, set: String?, removed: String?) async throws {
    try scratch.write(shown, to: "shown")
    let reader = ["cat", scratch["shown"]]
    let results = try await target.write(changes(["A": "1"], removing: ["B"]), at: place(["./push"], reader))
    #expect(try scratch.text("given.json").contains("\"A\":\"1\""))
    for (name, wanted) in [("A", set), ("B", removed)] {
      switch (results[name], wanted) {
      case (.done, nil): break
      case (.unknown(let reason), let wanted?): #expect(reason.contains(wanted) && !reason.contains("canary"))
      default: Issue.record("\(name): \(String(describing: results[name]))")
      }
    }
  }

  @Test("a reading program that fails after the write leaves it unknown what was written")
  func readFails() async throws {
    try scratch.write("#!/bin/sh\nexit 3\n", to: "failing", mode: 0o700)
    let results = try await target.write(changes(["A": "1"]), at: place(["./push"], ["./failing"]))
    guard case .unknown(let reason)? = results["A"] else {
      Issue.record("\(results)")
      return
    }
    #expect(reason.contains("./failing") && reason.contains("exit code 3"))
  }

  @Test("what is not a JSON object is unreadable", arguments: ["", "[]", "canary", "{\"A\": 1", "\"canary\""])
  func malformed(output: String) async throws {
    try scratch.write(output, to: "output")
    let answer = await target.read(["A"], at: place(["./push"], ["cat", scratch["output"]]))
    guard case .failed(let failure) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(failure.kind == .unreadable && !failure.reason.contains("canary"))
  }

  @Test("nothing runs while no name is requested")
  func idle() async throws {
    _ = await target.look(
      TargetQuestion(intent: .init(setting: ["A"], removing: [])), at: place(["./push"], ["touch", scratch["ran"]]))
    #expect(try !scratch.names().contains("ran"))
  }

  @Test("a value that is not text is not written, and the others are")
  func binary() async throws {
    for bytes: [UInt8] in [[0xFF], [0x61, 0], [0xC3]] {
      let results = try await target.write(TargetChanges(set: [("A", SecretBox(bytes))], remove: []), at: place())
      guard case .refused = results["A"] else {
        Issue.record("it is not refused")
        return
      }
    }
    #expect(try !scratch.names().contains("given.json"))
    let both = TargetChanges(set: [("A", SecretBox([0xFF])), ("B", SecretBox([0x62]))], remove: ["C"])
    let results = try await target.write(both, at: place())
    #expect(results.count == 3 && results["B"] == .done() && results["C"] == .done() && results["A"] != .done())
    #expect(try scratch.names().contains("given.json"))
  }
}
