import Foundation
import TestTools
import Testing

/// A project out of a seed: the same edits of manifest, sources, values and targets, and the same faults, on every run of a seed.
final class ProgramWorld {
  struct TargetFile {
    var isJSON: Bool
    var path: String
    /// The key or slot of each name.
    var names: [String: String]
  }

  let sandbox: ProgramSandbox
  private(set) var keys: Set<String> = []
  private(set) var slots: [String: [String]] = [:]
  private(set) var targets: [String: TargetFile] = [:]
  private var sources: [String: String] = [:]
  private var dice: Seeded
  private var round = 0
  /// How many commands met a fault.
  private(set) var broken = 0

  init(seed: UInt64) throws {
    dice = Seeded(seed: seed)
    sandbox = try ProgramSandbox()
    try #require(sandbox.keyplan("identity", "new").code == 0)
    for number in 0..<5 where number < 2 || dice.chance(60) { keys.insert("k\(number)") }
    for key in keys { sources[key] = "\(key)-first" }
    for _ in 0..<4 { edit() }
    try write()
    try #require(sandbox.keyplan("init").code == 0)
    if keys.contains("k3") {
      try #require(sandbox.keyplan("keys", "set", "k3", "--yes", input: .text("k3-first")).code == 0)
    }
    try sandbox.keyplan("apply", "--yes")
  }

  /// Two keys that a target has, all applied.
  init() throws {
    dice = Seeded(seed: 0)
    sandbox = try ProgramSandbox()
    try #require(sandbox.keyplan("identity", "new").code == 0)
    keys = ["k0", "k1"]
    for key in keys { sources[key] = "\(key)-first" }
    targets["t0"] = TargetFile(isJSON: false, path: "t0.env", names: ["N0": "k0", "N1": "k1"])
    try write()
    try #require(sandbox.keyplan("init").code == 0)
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")
  }

  // MARK: What is done to it

  /// One to three edits, and perhaps a command. Returns what was done, for the message of a failure.
  func step() throws -> String {
    round += 1
    var done: [String] = []
    for _ in 0...dice.below(3) { done.append(edit()) }
    try write()
    if dice.chance(40) { done.append(try disturb()) }
    if dice.chance(85) { done.append(try command()) }
    return done.joined(separator: ", ")
  }

  /// The source of a key has nothing any more.
  func empty(sourceOf key: String) throws {
    sources[key] = nil
    try write()
  }

  /// Everything that an obstacle was made of is taken away.
  func mend() throws {
    for target in targets.values where isDirectory(target.path) { try unblock(target.path) }
    for key in keys where sources[key] == nil && isSourced(key) { sources[key] = "\(key)-mended" }
    try write()
  }

  @discardableResult private func edit() -> String {
    let key = "k\(dice.below(5))"
    switch dice.below(12) {
    case 0, 1:
      keys.insert(key)
      if sources[key] == nil { sources[key] = "\(key)-made" }
      return "\(key) declared"
    case 2 where keys.count > 2:
      remove(key)
      return "\(key) removed"
    case 3, 4, 5:
      sources[key] = "\(key)-\(round)"
      return "a new value at the source of \(key)"
    case 6:
      sources[key] = nil
      return "no value at the source of \(key)"
    case 7, 8:
      let slot = "s\(dice.below(2))"
      slots[slot] = Array(keys.sorted().shuffled(using: &dice).prefix(1 + dice.below(2)))
      return "\(slot) from \(slots[slot] ?? [])"
    case 9, 10, 11: return send("t\(dice.below(2))")
    default: return "nothing"
    }
  }

  private func remove(_ key: String) {
    keys.remove(key)
    slots = slots.mapValues { $0.filter { $0 != key } }.filter { !$0.value.isEmpty }
    for (name, target) in targets { targets[name]?.names = target.names.filter { isDeclared($0.value) } }
    targets = targets.filter { !$0.value.names.isEmpty }
  }

  private func send(_ name: String) -> String {
    if dice.chance(12) {
      targets[name] = nil
      return "\(name) removed"
    }
    let isJSON = name == "t1"
    var target = targets[name] ?? TargetFile(isJSON: isJSON, path: name + (isJSON ? ".json" : ".env"), names: [:])
    if dice.chance(15), !isDirectory(target.path) { target.path = "\(name)-\(round)" + (isJSON ? ".json" : ".env") }
    let feeds = keys.sorted() + slots.keys.sorted().map { "active." + $0 }
    target.names = [:]
    for row in 0...dice.below(3) { target.names["N\(row)"] = dice.pick(feeds) }
    targets[name] = target
    return "\(name) at \(target.path) has \(target.names.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })"
  }

  /// Somebody else changes a target, or makes it one that cannot be written.
  private func disturb() throws -> String {
    guard let target = targets.sorted(by: { $0.key < $1.key }).map(\.value).randomElement(using: &dice) else {
      return "nothing"
    }
    if isDirectory(target.path) {
      try unblock(target.path)
      return "\(target.path) is a file again"
    }
    switch dice.below(4) {
    case 0:
      if sandbox.content(of: target.path) != nil {
        try FileManager.default.moveItem(atPath: place(target.path), toPath: place(target.path + ".aside"))
      }
      try FileManager.default.createDirectory(atPath: place(target.path), withIntermediateDirectories: false)
      return "\(target.path) is a directory"
    case 1:
      try? FileManager.default.removeItem(atPath: place(target.path))
      return "\(target.path) is gone"
    default:
      guard var held = values(in: target), let name = target.names.keys.sorted().randomElement(using: &dice) else {
        return "nothing"
      }
      held[name] = dice.pick([nil, "", "theirs-\(round)", "theirs-\(round)"])
      try sandbox.write(text(held, target.isJSON), to: target.path)
      return "\(name) in \(target.path) is now \(held[name] ?? "absent")"
    }
  }

  private func command() throws -> String {
    let key = keys.sorted().randomElement(using: &dice) ?? "k0"
    var words: [String]
    switch dice.below(10) {
    case 0, 1:
      words = ["keys", "set", "k3", "--yes", "--from-file", "value"]
      try sandbox.write("k3-\(round)", to: "value")
      guard keys.contains("k3") else { return "nothing" }
    case 2: words = ["keys", "rollback", key, "--yes"]
    case 3: words = ["keys", "revoke", key, "--yes", "--reason", "in a log"]
    case 4:
      guard let (name, target) = targets.min(by: { $0.key < $1.key }), let entry = target.names.keys.min() else {
        return "nothing"
      }
      words = ["accept", "target.\(name).\(entry)", "--yes"]
    default:
      words = ["apply", "--yes", "--allow-forget", "--allow-retire"] + (dice.chance(50) ? ["--allow-overwrite"] : [])
    }
    if words[0] != "apply", dice.chance(30) { words.append("--store-only") }
    guard dice.chance(50) else {
      let answer = try sandbox.start([Shell.program] + words).wait()
      return "\(words.joined(separator: " ")) (\(answer.code))"
    }
    let places =
      [sandbox.project, sandbox.store, sandbox.store + "-journal"]
      + targets.values.flatMap { [place($0.path), place($0.path + ".keyplan-new"), $0.path, $0.path + ".keyplan-new"] }
    let call = dice.pick(["renameat2", "renameat2", "pwrite64", "unlinkat"])
    let how = dice.pick(["signal=SIGKILL", "signal=SIGKILL", "error=EIO"])
    let number = 1 + dice.below(call == "pwrite64" ? 20 : 2)
    let traced = try FaultTracer(sandbox, words, at: places).apply(breaking: call, how, at: number)
    broken += traced.isHit ? 1 : 0
    return "\(words.joined(separator: " ")) with \(how) at \(call) \(number) (\(traced.answer.code))"
  }

  // MARK: What is there

  /// The declared keys whose source has not the value of `get`.
  func unequalSources() throws -> [String] {
    try keys.sorted().filter { try isSourced($0) && value(of: $0) != sources[$0].map { .value($0) } }
  }

  /// The values in a target's file, without empty placeholders; nil if it cannot be read.
  func values(in target: TargetFile) -> [String: String]? {
    guard !isDirectory(target.path) else { return nil }
    guard let bytes = sandbox.content(of: target.path) else { return [:] }
    if target.isJSON {
      let values = bytes.isEmpty ? [:] : try? JSONDecoder().decode([String: String].self, from: Data(bytes))
      return values?.filter { !$0.value.isEmpty }
    }
    let pairs = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: "=", maxSplits: 1)
    }
    return Dictionary(pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }) { _, last in last }
  }

  enum Answer: Equatable { case value(String), revoked, none }

  /// What `get` answers.
  func value(of key: String) throws -> Answer {
    let answer = try sandbox.keyplan("get", key)
    if answer.code == 0 { return .value(answer.out) }
    return answer.err.contains("Key is revoked") ? .revoked : .none
  }

  // MARK: Files

  private func isDeclared(_ feed: String) -> Bool {
    feed.hasPrefix("active.") ? slots[String(feed.dropFirst(7))] != nil : keys.contains(feed)
  }

  private func isSourced(_ key: String) -> Bool { key != "k3" && key != "k4" }

  private func write() throws {
    // k3 is set by hand, and k4 is generated.
    let forms = [
      "k0": "source: \"dotenv://src.env#K0\"", "k1": "source: \"dotenv://src.env#K1\"",
      "k2": "source: \"json://src.json#/k2\"", "k4": "source: { generate: { format: hex } }",
    ]
    var lines = ["version: 1", "keys:"]
    for key in keys.sorted() {
      lines.append(
        "  \(key): { provider: generic, variable: \(key.uppercased())\(forms[key].map { ", " + $0 } ?? "") }")
    }
    if !slots.isEmpty { lines.append("active:") }
    for (name, keys) in slots.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(name): [\(keys.joined(separator: ", "))]")
    }
    if !targets.isEmpty { lines.append("targets:") }
    for (name, target) in targets.sorted(by: { $0.key < $1.key }) {
      let names = target.names.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      lines.append(
        "  \(name): { type: \(target.isJSON ? "json" : "dotenv"), path: \(target.path), keys: { \(names) } }")
    }
    try sandbox.write(lines.joined(separator: "\n") + "\n", to: "keyplan.yaml")
    let env = ["k0", "k1"].compactMap { key in sources[key].map { "\(key.uppercased())=\($0)\n" } }
    try sandbox.write(env.joined(), to: "src.env")
    try sandbox.write(text(sources.filter { $0.key == "k2" }, true), to: "src.json")
  }

  private func text(_ values: [String: String], _ isJSON: Bool) throws -> String {
    guard isJSON else { return values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }.joined() }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(values), as: UTF8.self)
  }

  private func place(_ path: String) -> String { sandbox.project + "/" + path }

  private func isDirectory(_ path: String) -> Bool {
    var found: ObjCBool = false
    return FileManager.default.fileExists(atPath: place(path), isDirectory: &found) && found.boolValue
  }

  private func unblock(_ path: String) throws {
    try FileManager.default.removeItem(atPath: place(path))
    if sandbox.content(of: path + ".aside") != nil {
      try FileManager.default.moveItem(atPath: place(path + ".aside"), toPath: place(path))
    }
  }
}
