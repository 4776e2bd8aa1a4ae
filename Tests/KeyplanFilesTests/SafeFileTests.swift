import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

@Suite struct SafeFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("a file's bytes come back whole", arguments: [0, 1, 4096, 70_000])
  func whole(size: Int) throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(bytes).write(to: URL(fileURLWithPath: scratch["f"]))
    #expect(try SafeFile.read(scratch["f"], limit: size) == bytes)
    #expect(try SafeFile.read(scratch["f"], limit: size, within: scratch.path) == bytes)
  }

  @Test("one byte over the limit is refused")
  func limit() throws {
    try scratch.write("12345", to: "f")
    #expect(throws: FileError(.tooLarge(limit: 4), scratch["f"])) { try SafeFile.read(scratch["f"], limit: 4) }
  }

  @Test(
    "a file that tells no size is read to its end, and still bounded",
    .enabled(if: access("/proc/self/maps", R_OK) == 0, "SKIPPED: needs /proc"))
  func growing() throws {
    #expect(try SafeFile.read("/proc/self/maps", limit: 1 << 24).count > 1000)
    #expect(throws: FileError(.tooLarge(limit: 100), "/proc/self/maps")) {
      try SafeFile.read("/proc/self/maps", limit: 100)
    }
  }

  @Test("what is no regular file is refused by its kind, at once")
  func kinds() throws {
    try #require(mkfifo(scratch["fifo"], 0o600) == 0)
    try #require(mkdir(scratch["directory"], 0o700) == 0)
    try bindSocket(scratch["socket"])
    let cases: [(path: String, code: FileError.Code)] = [
      (scratch["fifo"], .notRegular(.fifo)),
      (scratch["directory"], .isDirectory),
      (scratch["socket"], .notRegular(.socket)),
      ("/dev/null", .notRegular(.device)),
      (scratch["nothing"], .notFound),
      (scratch["fifo/x"], .notDirectory),
      ("", .invalidPath),
      (scratch["a\0b"], .invalidPath),
    ]
    for (path, code) in cases {
      #expect(throws: FileError(code, path)) { try SafeFile.read(path, limit: 10) }
      #expect(throws: FileError(code, path)) { try SafeFile.readPrivate(path, limit: 10) }
    }
  }

  @Test("a link is followed, and one that leads nowhere or in a circle is said to")
  func links() throws {
    try scratch.write("there", to: "file")
    try scratch.link("link", to: "file")
    try scratch.link("broken", to: "nowhere")
    try scratch.link("circle", to: "circle")
    #expect(try SafeFile.read(scratch["link"], limit: 10) == Array("there".utf8))
    for name in ["broken", "circle"] {
      #expect(throws: FileError(.brokenLink, scratch[name])) { try SafeFile.read(scratch[name], limit: 10) }
      #expect(throws: FileError(.brokenLink, scratch[name])) {
        try SafeFile.read(scratch[name], limit: 10, within: scratch.path)
      }
    }
  }

  @Test("a path out of the tree is refused however it leads out, and a link inside it is followed")
  func within() throws {
    try #require(mkdir(scratch["tree"], 0o755) == 0)
    try #require(mkdir(scratch["tree-beside"], 0o755) == 0)
    try scratch.write("outside", to: "tree-beside/f")
    try scratch.write("inside", to: "tree/f")
    try scratch.link("tree/inner", to: "../tree/f")
    try scratch.link("tree/file-link", to: "../tree-beside/f")
    try scratch.link("tree/directory-link", to: scratch["tree-beside"])
    let root = scratch["tree"]
    #expect(try SafeFile.read(root + "/inner", limit: 10, within: root) == Array("inside".utf8))
    #expect(try SafeFile.read(root + "/f", limit: 10, within: "/") == Array("inside".utf8))
    for path in ["/file-link", "/directory-link/f", "/../tree-beside/f"].map({ root + $0 }) + [scratch["tree-beside/f"]]
    {
      #expect(throws: FileError(.outsideTree(root: root), path)) {
        try SafeFile.read(path, limit: 10, within: root)
      }
    }
  }

  @Test(
    "a private file that others have any access to is refused with the chmod to run",
    arguments: [
      (mode: 0o644, chmod: "600"), (mode: 0o640, chmod: "600"), (mode: 0o604, chmod: "600"),
      (mode: 0o620, chmod: "600"),
      (mode: 0o601, chmod: "600"), (mode: 0o444, chmod: "400"), (mode: 0o777, chmod: "700"),
    ])
  func tooOpen(mode: Int, chmod: String) throws {
    try scratch.write("secret", to: "it's", mode: mode_t(mode))
    let error = #expect(throws: FileError.self) { try SafeFile.readPrivate(scratch["it's"], limit: 10) }
    #expect(error?.code == .tooOpen(mode: UInt32(mode)))
    #expect(error?.hint == "chmod \(chmod) '\(scratch.path)/it'\\''s'")
    let command = try #require(error?.hint)
    #expect(try Child.run(["sh", "-c", command]) == 0)
    #expect(try SafeFile.readPrivate(scratch["it's"], limit: 10) == Array("secret".utf8))
  }

  @Test("a private file behind a symbolic link or with a second name is refused")
  func privateLinks() throws {
    try scratch.write("secret", to: "file", mode: 0o400)
    try scratch.link("link", to: "file")
    #expect(throws: FileError(.symlink, scratch["link"])) { try SafeFile.readPrivate(scratch["link"], limit: 10) }
    #expect(try SafeFile.readPrivate(scratch["file"], limit: 10) == Array("secret".utf8))
    try #require(link(scratch["file"], scratch["second"]) == 0)
    #expect(throws: FileError(.hardLinked, scratch["file"])) { try SafeFile.readPrivate(scratch["file"], limit: 10) }
  }

  @Test("a private file of another user is refused", .enabled(if: geteuid() == 0, "needs root to give a file away"))
  func otherOwner() throws {
    try scratch.write("secret", to: "file")
    try #require(chown(scratch["file"], 65534, 65534) == 0)
    #expect(throws: FileError(.otherOwner(65534), scratch["file"])) {
      try SafeFile.readPrivate(scratch["file"], limit: 10)
    }
  }

  @Test("a file that may not be read is denied, not missing")
  func denied() async throws {
    try scratch.write("secret", to: "file", mode: 0)
    try #require(chmod(scratch.path, 0o755) == 0)
    await #expect(processExitsWith: .success) { [path = scratch["file"] as String] in
      Child.becomeNobody()
      #expect(throws: FileError(.permission, path)) { try SafeFile.read(path, limit: 10) }
    }
  }

  private func bindSocket(_ path: String) throws {
    let code = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
    try #require(try Child.run(["python3", "-c", code, path]) == 0)
  }
}
