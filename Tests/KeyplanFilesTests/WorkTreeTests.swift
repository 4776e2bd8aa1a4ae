import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

/// The git program judges: what `git ls-files` lists is tracked, and nothing else is.
@Suite struct WorkTreeTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let forms: [(label: String, setUp: [[String]], version: UInt8)] = [
    ("version 2", [["init", "-q"]], 2),
    ("version 3, by an entry with extended flags", [["init", "-q"], ["add", "-N", "a"]], 3),
    ("version 4, names compressed", [["init", "-q"], ["config", "index.version", "4"]], 4),
    ("SHA-256", [["init", "-q", "--object-format=sha256"]], 2),
    ("SHA-256, version 4", [["init", "-q", "--object-format=sha256"], ["config", "index.version", "4"]], 4),
  ]

  @Test("every file is told as `git ls-files` tells it", arguments: forms)
  func judged(form: (label: String, setUp: [[String]], version: UInt8)) throws {
    let git = try Git(scratch["repository"])
    var dice = Seeded(seed: 7)
    var names = Set((0..<400).map { _ in Self.name(&dice) }).filter { name in
      // A name that is another's directory cannot be a file.
      name.utf8.count < 900
    }
    names.insert("a")
    let taken = names
    names = names.filter { name in !taken.contains { $0 != name && $0.hasPrefix(name + "/") } }
    for name in names { try git.write("x", to: name) }
    try git.run(form.setUp[0])
    for command in form.setUp.dropFirst() { try git.run(command) }
    let added = names.subtracting(["a"]).sorted().enumerated().filter { $0.offset % 3 != 0 }.map(\.element)
    try git.run(["add", "--"] + added)
    #expect(try git.indexBytes()[7] == form.version)

    let listed = Set(try git.lines(["ls-files", "-z"]))
    #expect(listed.count >= added.count)
    let tree = try #require(try WorkTree(containing: git.path))
    // Beginnings, parts and neighbours of names are no names.
    let asked = names.union(names.map { $0 + "x" }).union(names.map { String($0.dropLast()) }).union(["", "."])
      .union(names.compactMap { $0.split(separator: "/").first.map(String.init) })
    let told = try tree.tracking(of: asked.map { git.path + "/" + $0 })
    for name in asked {
      let isListed = listed.contains(name)
      #expect(told[git.path + "/" + name] == (isListed ? .tracked : .untracked), "\(name)")
    }
    #expect(try listed.allSatisfy { try tree.isTracked(git.path + "/" + $0) == .tracked })
  }

  private static func name(_ dice: inout Seeded) -> String {
    let parts = ["a", "bb", "config", ".env", "ü", "名前", "with space", "new\nline", "q\"uote", "\u{202e}", "-"]
    let deep = dice.below(100) == 0 ? 40 : 1 + dice.below(4)
    return (0..<deep).map { _ in
      (0...dice.below(3)).map { _ in dice.pick(parts) }.joined() + String(dice.below(50))
    }.joined(separator: "/")
  }

  @Test("an index in blocks, conflicts, and files that are gone or only promised are read as git reads them")
  func states() throws {
    let git = try Git(scratch["repository"])
    try git.run(["init", "-q"])
    try git.run(["config", "index.version", "4"])
    // From 10,000 entries on, git writes blocks that start without the previous name.
    try git.run(["config", "index.threads", "4"])
    let blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    let names = (0..<40_000).map { "directory-\($0 / 100)/file-\($0)" }
    let conflict = (1...3).map { "100644 \(blob) \($0)\tconflict\n" }.joined()
    try git.run(
      ["update-index", "--index-info"], input: conflict + names.map { "100644 \(blob) 0\t\($0)\n" }.joined())
    #expect(String(decoding: try git.indexBytes(), as: UTF8.self).contains("IEOT"))

    let tree = try #require(try WorkTree(containing: git.path))
    let asked = names + names.map { $0 + "0" } + ["conflict", "directory-1"]
    let told = try tree.tracking(of: asked.map { git.path + "/" + $0 })
    let listed = Set(try git.lines(["ls-files", "-z"]))
    #expect(listed.count == 40_001)
    #expect(asked.allSatisfy { told[git.path + "/" + $0] == (listed.contains($0) ? .tracked : .untracked) })
  }

  @Test("a submodule and a linked work tree have a root and an index of their own")
  func linked() throws {
    let inner = try Git(scratch["inner"])
    try inner.commit(["file": "1"])
    let outer = try Git(scratch["outer"])
    try outer.commit(["own": "1"])
    try outer.run(["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub"])
    try outer.run(["worktree", "add", "-q", scratch["linked"], "-b", "other"])
    try Git(scratch["linked"]).write("1", to: "new")
    try Git(scratch["linked"]).run(["add", "new"])
    try outer.write("1", to: "sub/untracked")

    let cases: [(path: String, root: String, tracking: WorkTree.Tracking)] = [
      ("outer/own", "outer", .tracked), ("outer/new", "outer", .untracked),
      ("outer/sub/file", "outer/sub", .tracked), ("outer/sub/untracked", "outer/sub", .untracked),
      ("linked/new", "linked", .tracked), ("linked/own", "linked", .tracked), ("linked/sub", "linked", .untracked),
    ]
    for (path, root, tracking) in cases {
      let tree = try #require(try WorkTree(containing: scratch[path]), "\(path)")
      #expect(tree.root == scratch[root], "\(path)")
      #expect(try tree.isTracked(scratch[path]) == tracking, "\(path)")
      let shown = try Git(scratch[root]).lines(["rev-parse", "--show-toplevel"]).first
      #expect(shown?.trimmingCharacters(in: .newlines) == tree.root)
    }
    let submodule = try #require(try WorkTree(containing: scratch["outer/sub"]))
    #expect(try submodule.superproject?.root == scratch["outer"])
    #expect(try WorkTree(containing: scratch["outer"])?.superproject == nil)

    let independent = try Git(scratch["outer/independent"])
    try independent.commit(["file": "1"])
    #expect(try WorkTree(containing: independent.path)?.superproject == nil)
  }

  @Test("a split index is not known, and of a sparse one only what it has by name")
  func incomplete() throws {
    let split = try Git(scratch["split"])
    try split.commit(["file": "1"])
    try split.run(["update-index", "--split-index"])
    #expect(try WorkTree(containing: split.path)?.isTracked(split.path + "/file") == .unknown)

    let sparse = try Git(scratch["sparse"])
    try sparse.commit(["file": "1", "in/file": "1", "out/file": "1"])
    try sparse.run(["sparse-checkout", "set", "--cone", "--sparse-index", "in"])
    #expect(String(decoding: try sparse.indexBytes(), as: UTF8.self).contains("sdir"))
    let tree = try #require(try WorkTree(containing: sparse.path))
    #expect(try tree.isTracked(sparse.path + "/file") == .tracked)
    #expect(try tree.isTracked(sparse.path + "/in/file") == .tracked)
    #expect(try tree.isTracked(sparse.path + "/in/other") == .untracked)
    #expect(try tree.isTracked(sparse.path + "/out/file") == .unknown)
  }

  @Test("a path counts for what it leads to, and for every link on the way")
  func links() throws {
    let git = try Git(scratch["repository"])
    try git.write("1", to: "real/.env")
    try FileManager.default.createSymbolicLink(atPath: git.path + "/tracked-link", withDestinationPath: "elsewhere")
    try FileManager.default.createSymbolicLink(atPath: git.path + "/folder", withDestinationPath: "real")
    try git.run(["init", "-q"])
    try git.run(["add", "tracked-link"])
    try git.write("1", to: "elsewhere")
    try scratch.link("from-outside", to: git.path + "/tracked-link")
    let tree = try #require(try WorkTree(containing: git.path + "/not/there/yet"))
    #expect(tree.root == git.path)
    #expect(try tree.isTracked(git.path + "/tracked-link") == .tracked)
    #expect(try tree.isTracked(scratch["from-outside"]) == .tracked)
    #expect(try tree.isTracked(git.path + "/elsewhere") == .untracked)
    #expect(try tree.isTracked(git.path + "/folder/.env") == .untracked)
    try git.run(["add", "folder"])
    #expect(try tree.isTracked(git.path + "/folder/.env") == .tracked)
    #expect(try tree.isTracked(git.path + "/real/.env") == .untracked)
    try git.run(["add", "real/.env"])
    try FileManager.default.removeItem(atPath: git.path + "/real")
    #expect(try tree.isTracked(git.path + "/real/../real/./.env") == .tracked)

    #expect(try tree.contains(git.path + "/x/y") && tree.contains(git.path) && tree.contains(scratch["from-outside"]))
    #expect(try !tree.contains(scratch["other"]) && !tree.contains(git.path + "x") && !tree.contains(git.path + "/.."))
  }

  @Test("without `.git` there is no work tree; what is there and cannot be read is not known")
  func roots() throws {
    #expect(try WorkTree(containing: scratch.path) == nil)
    try scratch.folder("empty")
    try scratch.folder("empty/.git")
    #expect(try WorkTree(containing: scratch["empty"]) == nil)

    let git = try Git(scratch["repository"])
    try git.run(["init", "-q"])
    try git.write("1", to: "file")
    #expect(try WorkTree(containing: git.path)?.isTracked(git.path + "/file") == .untracked)

    let written: [(label: String, text: String)] = [
      ("leads nowhere", "gitdir: ../nothing\n"), ("is something else", "hello\n"), ("is empty", ""),
      ("has a NUL", "gitdir: ../repository\0/.git\n"),
    ]
    for (index, (label, text)) in written.enumerated() {
      try scratch.folder("d\(index)")
      try scratch.write(text, to: "d\(index)/.git")
      let tree = try #require(try WorkTree(containing: scratch["d\(index)/x"]), "\(label)")
      #expect(tree.root == scratch["d\(index)"])
      #expect(try tree.isTracked(scratch["d\(index)/x"]) == .unknown, "\(label)")
    }
    try scratch.folder("pipe")
    try scratch.pipe("pipe/.git")
    #expect(try WorkTree(containing: scratch["pipe"])?.isTracked(scratch["pipe/x"]) == .unknown)

    try git.run(["config", "core.worktree", scratch["empty"]])
    #expect(try WorkTree(containing: git.path)?.isTracked(git.path + "/file") == .unknown)
    try git.run(["config", "core.worktree", ".."])
    #expect(try WorkTree(containing: git.path)?.isTracked(git.path + "/file") == .untracked)
    try git.run(["config", "extensions.objectFormat", "sha512"])
    #expect(try WorkTree(containing: git.path)?.isTracked(git.path + "/file") == .unknown)
  }

  @Test("a damaged index is not known; it is never read for ever, and never without a bound", arguments: ["2", "4"])
  func hostile(version: String) throws {
    let git = try Git(scratch["repository"])
    try git.run(["init", "-q"])
    try git.run(["config", "index.version", version])
    for number in 0..<9 { try git.write("1", to: "folder/some-file-\(number)") }
    try git.run(["add", "."])
    let good = try git.indexBytes()
    let tree = try #require(try WorkTree(containing: git.path))
    func told(_ bytes: [UInt8]) throws -> WorkTree.Tracking {
      try Data(bytes).write(to: URL(fileURLWithPath: git.path + "/.git/index"))
      return try tree.isTracked(git.path + "/folder/some-file-3")
    }
    #expect(try told(good) == .tracked)
    // Cut anywhere before its own hash, it is not whole: never *untracked*.
    for length in 0..<(good.count - 20) { #expect(try told(Array(good.prefix(length))) != .untracked) }
    for index in good.indices.dropLast(20) {
      var bytes = good
      bytes[index] ^= 0xff
      _ = try told(bytes)
    }
    var endless = good
    endless.replaceSubrange(8..<12, with: [0xff, 0xff, 0xff, 0xff])
    #expect(try told(endless) == .unknown)
    var newer = good
    newer[7] = 5
    #expect(try told(newer) == .unknown)

    let index = git.path + "/.git/index"
    #expect(truncate(index, off_t(GitIndex.sizeLimit + 1)) == 0)
    #expect(try tree.isTracked(git.path + "/folder/some-file-3") == .unknown)
    try FileManager.default.removeItem(atPath: index)
    #expect(mkfifo(index, 0o600) == 0)
    #expect(try tree.isTracked(git.path + "/folder/some-file-3") == .unknown)
  }

  @Test("a name that compression makes longer than any path is refused")
  func compressed() throws {
    let git = try Git(scratch["repository"])
    try git.run(["init", "-q"])
    func entry(_ suffix: Int) -> [UInt8] {
      [UInt8](repeating: 0, count: 24) + [0, 0, 0x81, 0xa4] + [UInt8](repeating: 0, count: 12 + 20) + [0x0f, 0xff, 0]
        + [UInt8](repeating: UInt8(ascii: "a"), count: suffix) + [0]
    }
    func told(_ names: [Int]) throws -> WorkTree.Tracking? {
      let bytes =
        Array("DIRC".utf8) + [0, 0, 0, 4, 0, 0, 0, UInt8(names.count)] + names.flatMap(entry)
        + [UInt8](repeating: 0, count: 20)
      try Data(bytes).write(to: URL(fileURLWithPath: git.path + "/.git/index"))
      return try WorkTree(containing: git.path)?.isTracked(git.path + "/aaa")
    }
    #expect(try told([1, 2]) == .tracked)
    #expect(try told([1, GitIndex.nameLimit - 1]) == .untracked)
    #expect(try told([1, GitIndex.nameLimit]) == .unknown)
  }
}

/// A repository that the git program made, whatever the person who runs the tests has configured.
struct Git {
  let path: String

  init(_ path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func write(_ text: String, to name: String) throws {
    let file = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  func commit(_ files: [String: String]) throws {
    try run(["init", "-q"])
    for (name, text) in files { try write(text, to: name) }
    try run(["add", "."])
    try run(["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one"])
  }

  func run(_ arguments: [String], input: String? = nil) throws {
    let process = process(arguments)
    guard let input else {
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0, "git \(arguments)")
      return
    }
    let pipe = Pipe()
    process.standardInput = pipe
    try process.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "git \(arguments)")
  }

  /// What git writes, cut at NULs.
  /// - Parameter input: the path of a file.
  func lines(_ arguments: [String], input: String? = nil, codes: Set<Int32> = [0]) throws -> [String] {
    let (process, output) = (process(arguments), Pipe())
    process.standardOutput = output
    if let input { process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input)) }
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(codes.contains(process.terminationStatus), "git \(arguments)")
    return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  func indexBytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path + "/.git/index"))) }

  private func process(_ arguments: [String]) -> Process {
    let process = Child.process(["git", "-C", path] + arguments)
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }.merging(
      ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"]) { $1 }
    return process
  }
}
