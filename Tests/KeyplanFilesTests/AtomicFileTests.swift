import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

@Suite struct AtomicFileTests {
  let scratch: Scratch
  private let new = Array("new".utf8)

  init() throws { scratch = try Scratch() }

  @Test("an existing file is replaced and keeps its mode", arguments: [0o600, 0o644, 0o664, 0o755, 0o200])
  func keepsMode(bits: Int) throws {
    try scratch.write("old", to: "f", mode: mode_t(bits))
    try AtomicFile.replace(scratch["f"], with: new)
    #expect(try mode(scratch["f"]) == UInt32(bits))
    try #require(chmod(scratch["f"], 0o600) == 0)
    #expect(try scratch.text("f") == "new")
    #expect(try scratch.names() == ["f"])
  }

  @Test("a reader who has the old file open goes on reading the old bytes")
  func readers() throws {
    try scratch.write("old", to: "f")
    let reader = try #require(FileHandle(forReadingAtPath: scratch["f"]))
    try AtomicFile.replace(scratch["f"], with: new)
    #expect(try reader.readToEnd() == Data("old".utf8))
  }

  @Test("a new file is 0600 under any umask, and an existing one keeps its mode", arguments: [0o777, 0o000, 0o022])
  func umasks(mask: Int) async throws {
    try scratch.write("old", to: "kept", mode: 0o640)
    await #expect(processExitsWith: .success) { [path = scratch.path as String, mask = mask as Int] in
      umask(mode_t(mask))
      try AtomicFile.replace(path + "/made", with: [1])
      try AtomicFile.replace(path + "/kept", with: [1])
      #expect(try mode(path + "/made") == 0o600)
      #expect(try mode(path + "/kept") == 0o640)
    }
    #expect(try scratch.names() == ["kept", "made"])
  }

  @Test("large content arrives whole")
  func large() throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try AtomicFile.replace(scratch["f"], with: bytes)
    #expect(try SafeFile.read(scratch["f"], limit: bytes.count) == bytes)
  }

  @Test("what is no regular file is refused and left as it was")
  func kinds() throws {
    try #require(mkfifo(scratch["fifo"], 0o600) == 0)
    try #require(mkdir(scratch["directory"], 0o700) == 0)
    try scratch.link("broken", to: "nowhere")
    try scratch.link("to-directory", to: "directory")
    let before = try scratch.names()
    let cases: [(name: String, code: FileError.Code)] = [
      ("fifo", .notRegular(.fifo)), ("directory", .isDirectory), ("directory/", .isDirectory),
      ("directory/..", .isDirectory),
      ("broken", .brokenLink), ("to-directory", .isDirectory), ("fifo/x", .notDirectory), ("a\0b", .invalidPath),
    ]
    for (name, code) in cases {
      #expect(throws: FileError(code, scratch[name]), "\(name)") { try AtomicFile.replace(scratch[name], with: new) }
    }
    #expect(throws: FileError(.notRegular(.device), "/dev/null")) { try AtomicFile.replace("/dev/null", with: new) }
    #expect(throws: FileError(.notFound, scratch["none"])) { try AtomicFile.replace(scratch["none/x"], with: new) }
    #expect(try scratch.names() == before)
  }

  @Test("a link inside the tree stays a link, and what it leads to is replaced")
  func writesThrough() throws {
    try #require(mkdir(scratch["real"], 0o755) == 0)
    try scratch.write("old", to: "real/f", mode: 0o644)
    try scratch.link("link", to: "real/f")
    try AtomicFile.replace(scratch["link"], with: new, within: scratch.path)
    #expect(try Status.ofName(scratch["link"], path: "")?.kind == .symlink)
    #expect(try scratch.text("real/f") == "new")
    #expect(try mode(scratch["real/f"]) == 0o644)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["real"]) == ["f"])
  }

  @Test("a way out of the tree is refused, and what is outside stays as it was")
  func outside() throws {
    try #require(mkdir(scratch["tree"], 0o755) == 0)
    try scratch.write("old", to: "f")
    try scratch.link("tree/link", to: "../f")
    try scratch.link("tree/up", to: "..")
    let root = scratch["tree"]
    for path in [root + "/link", root + "/up/f", root + "/up/made", root + "/../f", scratch["f"]] {
      #expect(throws: FileError(.outsideTree(root: root), path)) {
        try AtomicFile.replace(path, with: new, within: root)
      }
    }
    #expect(try scratch.text("f") == "old")
    #expect(try scratch.names() == ["f", "tree"])
  }

  @Test("a read-only file or directory is refused, for root too", arguments: [0o444, 0o400])
  func readOnly(bits: Int) throws {
    try scratch.write("old", to: "f", mode: mode_t(bits))
    #expect(throws: FileError(.readOnly, scratch["f"])) { try AtomicFile.replace(scratch["f"], with: new) }
    try #require(chmod(scratch["f"], 0o600) == 0 && chmod(scratch.path, 0o555) == 0)
    for name in ["f", "made"] {
      #expect(throws: FileError(.readOnly, scratch.path)) { try AtomicFile.replace(scratch[name], with: new) }
    }
    #expect(try scratch.text("f") == "old")
    #expect(try scratch.names() == ["f"])
  }

  @Test("a file with a second name is refused, since that one would keep the old bytes")
  func hardLinked() throws {
    try scratch.write("old", to: "f")
    try #require(link(scratch["f"], scratch["second"]) == 0)
    #expect(throws: FileError(.hardLinked, scratch["f"])) { try AtomicFile.replace(scratch["f"], with: new) }
    #expect(try scratch.text("second") == "old")
  }

  @Test("root replacing a user's file leaves it that user's", .enabled(if: geteuid() == 0, "needs root"))
  func keepsOwner() throws {
    try scratch.write("old", to: "f", mode: 0o640)
    try #require(chown(scratch["f"], 65534, 12345) == 0)
    try AtomicFile.replace(scratch["f"], with: new)
    let status = try #require(try Status.ofName(scratch["f"], path: ""))
    #expect(status.owner == 65534)
    #expect(status.group == 12345)
    #expect(status.mode == 0o640)
  }

  @Test("a user replaces no file that is another's", .enabled(if: geteuid() == 0, "needs root to have a second user"))
  func othersFile() async throws {
    try scratch.write("old", to: "closed", mode: 0o600)
    try scratch.write("old", to: "open", mode: 0o666)
    try #require(chmod(scratch.path, 0o777) == 0)
    await #expect(processExitsWith: .success) { [path = scratch.path as String] in
      Child.becomeNobody()
      #expect(throws: FileError(.permission, path + "/closed")) { try AtomicFile.replace(path + "/closed", with: [1]) }
      #expect(throws: FileError(.otherOwner(0), path + "/open")) { try AtomicFile.replace(path + "/open", with: [1]) }
    }
    #expect(try scratch.text("closed") == "old")
    #expect(try scratch.text("open") == "old")
    #expect(try scratch.names() == ["closed", "open"])
  }

  @Test("a directory that may be passed but not listed on the way is no hindrance")
  func searchOnly() async throws {
    try #require(mkdir(scratch["passage"], 0o711) == 0 && mkdir(scratch["passage/room"], 0o777) == 0)
    try #require(chmod(scratch.path, 0o711) == 0 && chmod(scratch["passage/room"], 0o777) == 0)
    await #expect(processExitsWith: .success) { [room = scratch["passage/room"] as String] in
      Child.becomeNobody()
      try AtomicFile.replace(room + "/f", with: [1], within: room)
      #expect(try SafeFile.read(room + "/f", limit: 1, within: room) == [1])
    }
  }

  @Test("a file size limit that is hit leaves the old bytes and no draft")
  func sizeLimit() async throws {
    try scratch.write("old", to: "f")
    await #expect(processExitsWith: .success) { [path = scratch.path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      #if canImport(Darwin)
      try #require(setrlimit(RLIMIT_FSIZE, &limit) == 0)
      #else
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      #endif
      let tooMuch = [UInt8](repeating: 7, count: 5000)
      #expect(throws: FileError(.noSpace, path + "/f")) { try AtomicFile.replace(path + "/f", with: tooMuch) }
      #expect(throws: FileError(.noSpace, path + "/made")) { try PrivateFile.create(path + "/made", tooMuch) }
    }
    #expect(try scratch.text("f") == "old")
    #expect(try scratch.names() == ["f"])
  }

  @Test(
    "a full disk leaves the old bytes and no draft",
    .enabled(if: geteuid() == 0, "needs root to mount a small file system"))
  func diskFull() throws {
    let mounted = try Child.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", scratch.path])
    guard mounted == 0 else { try Test.cancel("this container may not mount a tmpfs") }
    defer { _ = try? Child.run(["umount", scratch.path]) }
    try scratch.write("old", to: "f")
    let tooMuch = [UInt8](repeating: 7, count: 100_000)
    #expect(throws: FileError(.noSpace, scratch["f"])) { try AtomicFile.replace(scratch["f"], with: tooMuch) }
    #expect(throws: FileError(.noSpace, scratch["made"])) { try PrivateFile.create(scratch["made"], tooMuch) }
    #expect(try scratch.text("f") == "old")
    #expect(try scratch.names() == ["f"])
  }

  @Test("the draft of a killed writer is removed, that of a living one is respected")
  func drafts() throws {
    try scratch.write("old", to: "f")
    try scratch.write("a longer draft of somebody killed", to: "f.keyplan-new", mode: 0o640)
    do {
      let living = try LockHolder(scratch["f.keyplan-new"])
      #expect(throws: FileError(.busy, scratch["f.keyplan-new"])) { try AtomicFile.replace(scratch["f"], with: new) }
      #expect(try scratch.text("f") == "old")
      living.kill()
    }
    try AtomicFile.replace(scratch["f"], with: new)
    #expect(try scratch.text("f") == "new")
    #expect(try mode(scratch["f"]) == 0o600)
    #expect(try scratch.names() == ["f"])
  }

  @Test("a link planted under the draft's name is not followed")
  func plantedDraft() throws {
    try scratch.write("victim", to: "victim")
    try scratch.link("f.keyplan-new", to: "victim")
    #expect(throws: FileError(.symlink, scratch["f.keyplan-new"])) { try AtomicFile.replace(scratch["f"], with: new) }
    #expect(try scratch.text("victim") == "victim")
  }

  @Test("a file that is no longer what it was is neither replaced nor removed, even when it changes at the last moment")
  func expected() throws {
    let (old, path) = (Array("old".utf8), scratch["f"])
    try scratch.write("old", to: "f", mode: 0o640)
    try AtomicFile.replace(path, with: new, expecting: old)
    #expect(try scratch.text("f") == "new")
    #expect(try mode(path) == 0o640)
    for other in [old, [], Array("newer".utf8), nil] {
      #expect(throws: FileError(.changed, path)) { try AtomicFile.replace(path, with: [1], expecting: other) }
      if let other {
        #expect(throws: FileError(.changed, path)) { try AtomicFile.remove(path, expecting: other) }
      }
    }
    #expect(try scratch.text("f") == "new")
    #expect(throws: FileError(.changed, scratch["g"])) {
      try AtomicFile.replace(scratch["g"], with: [1], expecting: old)
    }
    try AtomicFile.replace(scratch["g"], with: new, expecting: nil)
    #expect(try scratch.names() == ["f", "g"])
    try AtomicFile.remove(scratch["g"], expecting: new)
    #expect(try scratch.names() == ["f"])
  }

  @Test("a file is removed; one that is not there is no error")
  func removes() throws {
    try scratch.write("old", to: "f")
    try scratch.write("other", to: "g")
    try AtomicFile.remove(scratch["f"])
    #expect(try scratch.names() == ["g"])
    try AtomicFile.remove(scratch["f"])
    #expect(try scratch.names() == ["g"])
  }

  @Test("what could not be replaced is not removed")
  func keeps() throws {
    try #require(mkfifo(scratch["fifo"], 0o600) == 0)
    try #require(mkdir(scratch["directory"], 0o700) == 0)
    try scratch.link("broken", to: "nowhere")
    try scratch.write("old", to: "read-only", mode: 0o400)
    try scratch.write("old", to: "first")
    try #require(link(scratch["first"], scratch["second"]) == 0)
    let before = try scratch.names()
    let cases: [(name: String, code: FileError.Code)] = [
      ("fifo", .notRegular(.fifo)), ("directory", .isDirectory), ("broken", .brokenLink), ("read-only", .readOnly),
      ("first", .hardLinked), ("none/x", .notFound),
    ]
    for (name, code) in cases {
      let path = code == .notFound ? scratch["none"] : scratch[name]
      #expect(throws: FileError(code, path), "\(name)") { try AtomicFile.remove(scratch[name]) }
    }
    try scratch.write("old", to: "f")
    try #require(chmod(scratch.path, 0o555) == 0)
    #expect(throws: FileError(.readOnly, scratch.path)) { try AtomicFile.remove(scratch["f"]) }
    #expect(try scratch.names() == (before + ["f"]).sorted())
  }

  @Test("a link inside the tree stays, what it leads to is removed, and a way out of the tree is refused")
  func removesThrough() throws {
    try #require(mkdir(scratch["tree"], 0o755) == 0)
    try scratch.write("old", to: "tree/f")
    try scratch.write("old", to: "outside")
    try scratch.link("tree/link", to: "f")
    try scratch.link("tree/out", to: "../outside")
    let root = scratch["tree"]
    try AtomicFile.remove(root + "/link", within: root)
    #expect(try FileManager.default.contentsOfDirectory(atPath: root).sorted() == ["link", "out"])
    #expect(throws: FileError(.outsideTree(root: root), root + "/out")) {
      try AtomicFile.remove(root + "/out", within: root)
    }
    #expect(try scratch.text("outside") == "old")
  }

  @Test("writers at once leave one of their contents whole")
  func concurrent() async throws {
    let path = scratch["f"]
    let done = await withTaskGroup(of: Bool.self) { group in
      for letter in UInt8(ascii: "a")...UInt8(ascii: "h") {
        group.addTask {
          do throws(FileError) {
            try AtomicFile.replace(path, with: [UInt8](repeating: letter, count: 100_000))
            return true
          } catch {
            #expect(error.code == .busy)
            return false
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(done >= 1)
    let bytes = try SafeFile.read(path, limit: 100_000)
    #expect(bytes.count == 100_000)
    #expect(Set(bytes).count == 1)
    #expect(try scratch.names() == ["f"])
  }
}
