import Foundation
import KeyplanHTTP
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Synchronization
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// What a write leaves, and what it does when somebody else writes too, against a real OpenBao.
@Suite(.enabled(if: OpenBao.isHere, "SKIPPED: run make setup-test: OpenBao in KEYPLAN_TEST_PYTHON"))
struct VaultTargetTests {
  @Test("only the fields of the changes change, whatever the others are", arguments: [1, 2])
  func otherFields(version: Int) async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(version)
    try await bao.put(mount, "app", #"{"THEIRS":"x","NUMBER":1.25,"OBJECT":{"a":[null,true]},"OURS":"old"}"#)
    let run = VaultRun(bao)
    #expect(
      await run.look(["OURS", "NUMBER", "OBJECT", "NOPE"], at: "\(mount)/app")
        == ["OURS": "old", "NUMBER": "1.25", "OBJECT": "(other)"])
    let results = try await run.write(["OURS": "new", "MORE": "m"], removing: ["NOPE"], at: "\(mount)/app")
    #expect(results == ["OURS": .done(), "MORE": .done(), "NOPE": .done()])
    let path = "\(mount)/\(version == 2 ? "data/" : "")app"
    let text = String(decoding: try await bao.request(.get, path).data, as: UTF8.self)
    #expect(text.contains(#""OBJECT":{"a":[null,true]}"#))
    #expect(text.contains(#""NUMBER":1.25"#))
    let fields = try await bao.fields(mount, "app")
    #expect(fields["THEIRS"] == "x" && fields["OURS"] == "new" && fields["MORE"] == "m")
  }

  @Test("what somebody else writes between reading and writing is stale, and stays", arguments: [true, false])
  func conflict(hasPatch: Bool) async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    let rights = #"["create", "read", "update"\#(hasPatch ? #", "patch""# : "")]"#
    let token = try await bao.token(#"path "\#(mount)/data/app" { capabilities = \#(rights) }"#)
    let path = "\(mount)/app"
    for isFirst in [true, false] {
      let run = VaultRun(bao, token: token)
      let isDone = Atomic(false)
      run.requests.before.withLock { before in
        before = { line in
          guard line.hasPrefix("PATCH") || line.hasPrefix("POST"), line.contains("/data/") else { return }
          guard !isDone.exchange(true, ordering: .relaxed) else { return }
          try? await bao.put(mount, "app", #"{"THEIRS":"\#(isFirst)","OURS":"theirs"}"#)
        }
      }
      #expect(try await run.write(["OURS": "ours", "MORE": "m"], at: path) == ["OURS": .stale, "MORE": .stale])
      #expect(try await bao.fields(mount, "app") == ["THEIRS": "\(isFirst)", "OURS": "theirs"])
    }
    #expect(try await VaultRun(bao, token: token).write(["OURS": "ours"], at: path) == ["OURS": .done()])
    #expect(try await bao.fields(mount, "app") == ["THEIRS": "false", "OURS": "ours"])
  }

  @Test("a name that changed since it was looked at is stale, and another one is not", arguments: [1, 2])
  func changedSinceLooking(version: Int) async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(version)
    try await bao.put(mount, "app", #"{"A":"1","B":"2","C":3}"#)
    let run = VaultRun(bao)
    _ = await run.look(["A"], at: "\(mount)/app")
    try await bao.put(mount, "app", #"{"A":"1","B":"theirs","D":"theirs"}"#)
    let results = try await run.write(
      ["A": "new", "B": "new", "D": "new"], removing: ["C", "E"], at: "\(mount)/app")
    #expect(results == ["A": .done(), "B": .stale, "C": .stale, "D": .stale, "E": .done()])
    #expect(try await bao.fields(mount, "app") == ["A": "new", "B": "theirs", "D": "theirs"])
  }

  @Test("the secret is deleted with its last field, and can be written again", arguments: [1, 2])
  func withdrawing(version: Int) async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(version)
    let path = "\(mount)/app"
    let run = VaultRun(bao)
    for _ in 0..<2 {
      #expect(try await run.write(["A": "1", "B": "2"], at: path) == ["A": .done(), "B": .done()])
      #expect(try await run.write([:], removing: ["A"], at: path) == ["A": .done()])
      #expect(try await bao.fields(mount, "app") == ["B": "2"])
      #expect(try await run.write([:], removing: ["A", "B"], at: path) == ["A": .done(), "B": .done()])
      #expect(try await bao.request(.get, "\(mount)/\(version == 2 ? "data/" : "")app").status == 404)
      #expect(await run.look(["A"], at: path) == [:])
    }
    guard version == 2 else { return }
    // The history stays.
    #expect(await run.read(path, "A?version=1") == .value("1"))
  }

  @Test("withdrawing needs no more rights than the policy in the hint has")
  func withdrawingWithFewRights() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    for (number, rights) in [#""patch", "delete""#, #""patch""#, #""update""#].enumerated() {
      let path = "app\(number)"
      try await bao.put(mount, path, #"{"A":"1"}"#)
      let token = try await bao.token(#"path "\#(mount)/data/*" { capabilities = ["read", \#(rights)] }"#)
      let run = VaultRun(bao, token: token)
      #expect(try await run.write([:], removing: ["A"], at: "\(mount)/\(path)") == ["A": .done()])
      #expect(try await bao.fields(mount, path) == [:])
      let status = try await bao.request(.get, "\(mount)/data/\(path)").status
      #expect(status == (rights.contains("delete") ? 404 : 200), "\(rights)")
    }
  }

  @Test("more names than one request takes are written in several, each guarded by the one before")
  func many() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    let values = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("NAME_\($0)", "\($0)") })
    for fresh in [true, false] {
      let run = VaultRun(bao)
      let all = values.mapValues { fresh ? $0 : $0 + "x" }
      let results = try await run.write(all, at: "\(mount)/app")
      #expect(results.count == 1000 && results.values.allSatisfy { $0 == .done() })
      #expect(try await bao.fields(mount, "app") == all)
      #expect(run.requests.all.count { !$0.hasPrefix("GET") } == 3)
    }
  }

  @Test("a write that is denied or refused leaves everything, and says what is missing")
  func denied() async throws {
    let bao = try OpenBao.shared.get()
    for version in [1, 2] {
      let mount = try await bao.mount(version)
      try await bao.put(mount, "app", #"{"A":"1"}"#)
      let token = try await bao.token(#"path "\#(mount)/*" { capabilities = ["read"] }"#)
      let run = VaultRun(bao, token: token)
      let results = try await run.write(["A": "2", "B": "3"], at: "\(mount)/app")
      for name in ["A", "B"] {
        guard case .refused(let failure) = results[name] else {
          Issue.record("\(name) is not refused")
          continue
        }
        #expect(failure.kind == .denied)
        #expect(failure.hint?.contains("\"update\"") == true)
      }
      let target = try #require(run.backend.target)
      let sight = await target.look(
        TargetQuestion(names: ["A"], intent: .init(setting: ["A"], removing: [])), at: VaultRun.place("\(mount)/app"))
      #expect(sight.writeBlockers.place?.isOnlyHere == true)
      #expect(sight.writeBlockers.place?.reason == "The token has no right to write \(mount)/app.")
      #expect(try await bao.fields(mount, "app") == ["A": "1"])
    }
  }

  @Test("values that JSON cannot have, and names and values that are too long, are refused one by one")
  func refused() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    let run = VaultRun(bao)
    let long = String(repeating: "x", count: 65_537)
    let set: [(name: String, value: SecretBox)] = [
      ("BYTES", SecretBox([0xFF])), ("LONG", SecretBox(Array(long.utf8))),
      ("MOST", SecretBox(Array(long.utf8.dropLast()))),
      (String(repeating: "N", count: 513), SecretBox([0x41])), ("", SecretBox([0x41])),
    ]
    let results = try await run.backend.target?.write(
      TargetChanges(set: set, remove: []), at: VaultRun.place("\(mount)/app"))
    for (name, _) in set {
      if name == "MOST" {
        #expect(results?[name] == .done())
      } else if case .refused = results?[name] {
        continue
      } else {
        Issue.record("\(name.prefix(5)) is not refused")
      }
    }
    #expect(try await bao.fields(mount, "app").keys.sorted() == ["MOST"])
  }

  @Test("a mount has a lasting identity, and a new one at its path another")
  func identity() async throws {
    let bao = try OpenBao.shared.get()
    let mount = try await bao.mount(2)
    func id() async -> String? {
      await VaultRun(bao).backend.target?.look(TargetQuestion(names: ["A"]), at: VaultRun.place("\(mount)/a")).placeId
    }
    let first = await id()
    #expect(first != nil)
    #expect(await id() == first)
    try await bao.make("sys/mounts/\(mount)", method: .delete)
    try await bao.make("sys/mounts/\(mount)", #"{"type":"kv","options":{"version":"2"}}"#)
    #expect(await id() != first)
  }
}
