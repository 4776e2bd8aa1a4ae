import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

/// The git program judges: what `git check-ignore` names is ignored, and nothing else is.
@Suite struct IgnoreRulesTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let patterns = [
    ".env", "/.env", ".env*", "!.env.example", "*.local", "config/", "/config/", "config/*.yml", "a/**/b", "**/x",
    "x/**",
    "**", "*", "?", "a?c", "[abc]", "[!a]*", "[^a]*", "[a-c]x", "[]x]", "[]-a]", "[a-]", "[[:digit:]]x", "[[:upper:]a]",
    "[[:nothing:]]", "[[:alpha:]", "[", "[a", "a\\", "\\#x", "#x", "\\!x", "!x", "x ", "x\\ ", "x\\\\ ", " x", "", "/",
    "//",
    "a//b", "a/", "!a/", "a/b/", "!/a/b", "a/*", "!a/b", "a/*/b", "a**/b", "**a/b", "a/**b", "a/b**", "**/**/b",
    "a/**/**/b", "***/b", "a/***", "**\\/b", "a\\b", "\\*", "*\\*", "a\tb", "\u{fc}", "?\u{fc}", "[\u{fc}]", "x\r",
    "x\0y",
    "/**/b", "a/?/b", "/a?b", "a[/]b", "a[!x]b", "*/b", "/*", "!/*/", "!*/", "*.*", "a*b*c", "b/../a", "./a", "[\\]a]",
    "[a\\-c]",
    "[z-a]", "[!-a]", "[[:]", "[[:x]", "[a-[:digit:]]", "[--0]", "[*]", "**/a/**", "a/**/", "foo**/bar", "/foo**/bar",
    "\\foo**/bar",
  ]

  static let parts = [
    ".env", ".env.local", ".env.example", "config", "a", "b", "c", "x", "ax", "bx", "aXc", "a b", "x ", "1x", "#x",
    "!x", "foo", "bar", "foobar",
    "Z", "]", "-", "[", "*", "a\\b", "\u{fc}", "x\u{fc}", "a\tb", "y.yml", "A",
  ]

  @Test("each pattern alone is read as git reads it", arguments: [patterns])
  func alone(patterns: [String]) throws {
    let git = try repository()
    let paths = Self.paths(seed: 3, count: 600)
    for pattern in patterns + patterns.map({ "**/" + $0 }) {
      try git.write(pattern + "\n", to: ".gitignore")
      try compare(git, paths, "\(pattern.debugDescription)")
    }
  }

  @Test("several files with several patterns, deeper ones first, decide as in git", arguments: 0..<40)
  func together(seed: Int) throws {
    let git = try repository()
    var dice = Seeded(seed: UInt64(seed))
    let paths = Self.paths(seed: UInt64(seed) + 100, count: 300)
    func text() -> String {
      (0..<(1 + dice.below(6))).map { _ in
        (dice.chance(30) ? "!" : "") + dice.pick(Self.patterns) + (dice.chance(10) ? "\r\n" : "\n")
      }.joined()
    }
    try git.write((dice.chance(20) ? "\u{feff}" : "") + text(), to: ".gitignore")
    try git.write(text(), to: ".git/info/exclude")
    let directories = paths.compactMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    for _ in 0..<12 { try git.write(text(), to: dice.pick(directories) + "/.gitignore") }
    try compare(git, paths, "seed \(seed)")
  }

  private func handling(_ path: String) -> WorkTree.Handling? { WorkTree.handling(of: [path])[path] }

  private func repository() throws -> Git {
    let git = try Git(scratch["repository"])
    try git.run(["init", "-q"])
    try git.run(["config", "core.excludesFile", "/dev/null"])
    return git
  }

  private static func paths(seed: UInt64, count: Int) -> [String] {
    var dice = Seeded(seed: seed)
    let deep = (0..<count).map { _ in (0...dice.below(4)).map { _ in dice.pick(parts) }.joined(separator: "/") }
    return Array(Set(parts + deep)).sorted()
  }

  private func compare(_ git: Git, _ paths: [String], _ label: String) throws {
    try scratch.write(paths.map { $0 + "\0" }.joined(), to: "paths")
    // git ends with 1 where nothing is ignored.
    let named = Set(
      try git.lines(["check-ignore", "--no-index", "-z", "--stdin"], input: scratch["paths"], codes: [0, 1]))
    let handling = WorkTree.handling(of: paths.map { git.path + "/" + $0 })
    for path in paths {
      // git sees what is a directory, and no secret is one.
      if FileManager.default.fileExists(atPath: git.path + "/" + path) { continue }
      let expected: WorkTree.Handling = named.contains(path) ? .ignored : .added
      #expect(handling[git.path + "/" + path] == expected, "\(label): \(path.debugDescription)")
    }
  }

  @Test("a file that is tracked is, whatever ignores it")
  func tracked() throws {
    let git = try repository()
    try git.write("x\n", to: ".env")
    try git.write("*\n", to: ".gitignore")
    try git.run(["add", "-f", ".env"])
    #expect(handling(git.path + "/.env") == .tracked)
    #expect(handling(git.path + "/.env2") == .ignored)
    #expect(handling(git.path + "/.git/config") == nil)
    #expect(handling(scratch["elsewhere"]) == nil)
  }

  @Test("a link in the place of an ignore file is not followed, and what cannot be read is not known")
  func unreadable() throws {
    let git = try repository()
    try scratch.write("*\n", to: "list")
    try scratch.link("repository/.gitignore", to: scratch["list"])
    #expect(handling(git.path + "/.env") == .added)
    try FileManager.default.removeItem(atPath: git.path + "/.gitignore")
    try git.write(String(repeating: "x\n", count: 1 << 18), to: ".gitignore")
    #expect(handling(git.path + "/.env") == .unknown)
  }

  @Test("all ignore files and comparisons of a run share one budget, and what is beyond it is not known")
  func budget() throws {
    let git = try repository()
    let large = String(repeating: "x\n", count: 100_000)
    for index in 0..<12 { try git.write(large, to: "d\(index)/.gitignore") }
    let paths = (0..<12).map { git.path + "/d\($0)/.env" }
    let all = WorkTree.handling(of: paths)
    #expect(all.values.filter { $0 == .added }.count == 5 && all.values.filter { $0 == .unknown }.count == 7)
    #expect(handling(paths[11]) == .added)
    // Repositories in the repository have budgets of their own no more than folders have.
    for index in 0..<6 {
      let inner = try Git(git.path + "/r\(index)")
      try inner.write(large, to: ".gitignore")
    }
    let inner = WorkTree.handling(of: (0..<6).map { git.path + "/r\($0)/.env" })
    #expect(inner.values.contains(.unknown))

    try git.write(String(repeating: "*a*b\n", count: 20_000), to: ".gitignore")
    let deep = (0..<100).map { git.path + "/" + Array(repeating: "a", count: 10).joined(separator: "/") + "/\($0)" }
    let compared = WorkTree.handling(of: deep)
    #expect(compared.values.contains(.added) && compared.values.contains(.unknown))
  }

  @Test("with an index that cannot be read, a file that no rule ignores would be added")
  func unreadableIndex() throws {
    let git = try repository()
    try git.commit(["file": "1"])
    try git.run(["update-index", "--split-index"])
    try git.write(".env\n", to: ".gitignore")
    #expect(handling(git.path + "/.env") == .ignoredUnlessTracked)
    #expect(handling(git.path + "/other") == .added)
  }

  @Test("patterns that are made to be slow end at the limit of steps")
  func hostile() throws {
    let git = try repository()
    try git.write(
      String(repeating: "**/a*", count: 100) + "b\n" + String(repeating: "*a", count: 200) + "b\n", to: ".gitignore")
    let path = Array(repeating: String(repeating: "a", count: 30), count: 10).joined(separator: "/")
    #expect(handling(git.path + "/" + path) == .added)
    try git.write(String(repeating: "*a*b\n", count: 40_000), to: ".gitignore")
    let deep = Array(repeating: "a", count: 500).joined(separator: "/")
    #expect(handling(git.path + "/" + deep) == .unknown)
  }
}
