import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

@Suite("The files of a checkout")
struct CheckoutFilesTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func files(_ root: String, folder: String? = nil, isTrusted: Bool = false) -> CheckoutFiles {
    CheckoutFiles(root: scratch[root], folder: scratch[folder ?? root], isTrusted: isTrusted)
  }

  private func tracked(_ files: CheckoutFiles, _ names: String...) -> [String] {
    let found = files.tracked(among: names.map { scratch[$0] })
    return names.filter { found.contains(scratch[$0]) }
  }

  @Test("are tracked where the innermost index or one around it has them, and in all of a submodule")
  func submodules() throws {
    let outer = try Git(scratch["outer"])
    try outer.commit(["own": "1", "nested/own": "1"])
    let inner = try Git(scratch["outer/sub"])
    try inner.commit(["file": "1"])
    try outer.run(["-c", "advice.addEmbeddedRepo=false", "add", "sub"])
    try outer.write("1", to: "sub/untracked")
    try outer.write("1", to: "sub/deep/untracked")
    try outer.write("1", to: "new")
    let clone = try Git(scratch["outer/clone"])
    try clone.commit(["file": "1"])
    try outer.write("1", to: "clone/written")
    // A repository in a folder that the checkout tracks hides nothing of it.
    try Git(scratch["outer/nested"]).run(["init", "-q"])
    try outer.write("1", to: "nested/written")
    let names = [
      "outer/own", "outer/new", "outer/sub", "outer/sub/file", "outer/sub/untracked", "outer/sub/deep/untracked",
      "outer/sub/none", "outer/clone/file", "outer/clone/written", "outer/nested/own", "outer/nested/written",
      "elsewhere",
    ]
    let found = files("outer").tracked(among: names.map { scratch[$0] })
    let untracked: Set = [
      "outer/new", "outer/clone/written", "outer/nested/written", "elsewhere",
    ]
    for name in names { #expect(found.contains(scratch[name]) == !untracked.contains(name), "\(name)") }
    // Without the repository of the submodule, its folder is still one.
    try FileManager.default.removeItem(atPath: scratch["outer/sub/.git"])
    #expect(tracked(files("outer"), "outer/sub/untracked", "outer/new") == ["outer/sub/untracked"])
  }

  @Test("of a submodule that has the manifest are told by its own index")
  func manifestInSubmodule() throws {
    let outer = try Git(scratch["outer"])
    try outer.commit(["own": "1"])
    let inner = try Git(scratch["outer/sub"])
    try inner.commit(["keyplan.yaml": "1"])
    try outer.run(["-c", "advice.addEmbeddedRepo=false", "add", "sub"])
    try outer.write("1", to: "sub/written")
    let files = files("outer", folder: "outer/sub")
    #expect(
      tracked(files, "outer/sub/keyplan.yaml", "outer/sub/written", "outer/own") == [
        "outer/sub/keyplan.yaml", "outer/own",
      ])
  }

  @Test("in a directory make it a tracked one; a link counts with what it leads to")
  func directories() throws {
    let git = try Git(scratch["repository"])
    try git.commit(["conf/a/b": "1", "confetti": "1", "z": "1"])
    try git.write("1", to: "written/file")
    try scratch.link("outside", to: git.path + "/conf")
    try scratch.link("repository/link", to: scratch["elsewhere"])
    try git.run(["add", "link"])
    let names = [
      "repository/conf", "repository/conf/a", "repository/con", "repository/written", "repository", "outside",
      "repository/link", "repository/link/file", "repository/.git", "repository/.git/config",
    ]
    #expect(
      Set(names.filter { tracked(files("repository"), $0) == [$0] }) == [
        "repository/conf", "repository/conf/a", "repository", "outside", "repository/link", "repository/link/file",
      ])
    #expect(
      files("repository").contains(scratch["outside"]) && files("repository").contains(scratch["repository/link"]))
    #expect(!files("repository").contains(scratch["elsewhere"]))
  }

  @Test("are all tracked if no index decides, unless somebody has reviewed a folder without a repository")
  func unknown() throws {
    try scratch.folder("plain")
    #expect(tracked(files("plain"), "plain/file", "elsewhere") == ["plain/file"])
    #expect(tracked(files("plain", isTrusted: true), "plain/file") == [])
    let split = try Git(scratch["split"])
    try split.commit(["file": "1"])
    try split.run(["update-index", "--split-index"])
    #expect(tracked(files("split", isTrusted: true), "split/other") == ["split/other"])
    let broken = try Git(scratch["broken"])
    try broken.write("gitdir: nowhere\n", to: ".git")
    #expect(tracked(files("broken"), "broken/other") == ["broken/other"])
  }

  @Test("are found among many in one pass over the index")
  func many() throws {
    let git = try Git(scratch["repository"])
    try git.run(["init", "-q"])
    let blob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    let entries = (0..<20_000).map { "100644 \(blob) 0\td\($0 % 100)/f\($0)\n" }.joined()
    let links = (0..<20_000).map { "160000 \(blob) 0\tm\($0)\n" }.joined()
    try git.run(["update-index", "--index-info"], input: entries + links)
    let names =
      (0..<10_000).map { git.path + "/d\($0 * 3 % 100)/f\($0 * 3)" } + (0..<10_000).map { git.path + "/m\($0 * 3)/x" }
    let found = files("repository").tracked(among: names)
    #expect(found.count == 6667 + 6667)
  }
}
