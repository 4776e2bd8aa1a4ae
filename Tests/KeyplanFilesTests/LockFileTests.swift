import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

/// Another process that holds the lock of a file until it is killed.
final class LockHolder {
  private let process: Process
  /// Its end ends the process, should the test not live to kill it.
  private let input = Pipe()

  init(_ path: String) throws {
    let code = """
      import fcntl, os, sys
      f = open(sys.argv[1], 'r+')
      fcntl.flock(f, fcntl.LOCK_EX)
      os.write(1, b'held')
      sys.stdin.read()
      """
    process = Child.process(["python3", "-c", code, path])
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard output.fileHandleForReading.availableData == Data("held".utf8) else {
      kill()
      throw CocoaError(.fileReadUnknown)
    }
  }

  deinit { kill() }

  func kill() {
    guard process.isRunning else { return }
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

@Suite struct LockFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("a lock of another process is seen as held, and free right after kill -9")
  func killed() throws {
    let lock = try LockFile(scratch["lock"])
    let holder = try LockHolder(scratch["lock"])
    #expect(try !lock.tryLock(details: "me"))
    #expect(try lock.details() == nil)
    holder.kill()
    #expect(try lock.tryLock(details: "me"))
    #expect(try lock.details() == "me")
  }

  @Test("who asks for a held lock learns who holds it, and leaves the details alone")
  func held() throws {
    let holder = try LockFile(scratch["lock"])
    let other = try LockFile(scratch["lock"])
    #expect(try holder.tryLock(details: "host a, process 1,\nsince noon\u{1B}[31m"))
    #expect(try !other.tryLock(details: "me"))
    other.unlock()
    #expect(try other.details() == "host a, process 1, since noon [31m")
    holder.unlock()
    #expect(try other.details() == nil)
    #expect(try other.tryLock(details: "b"))
    #expect(try holder.details() == "b")
    #expect(try scratch.names() == ["lock"])
  }

  @Test("a lock that goes out of scope is given back, and the file stays")
  func scope() throws {
    let other = try LockFile(scratch["lock"])
    do {
      let holder = try LockFile(scratch["lock"])
      #expect(try holder.tryLock(details: "a"))
      withExtendedLifetime(holder) {}
    }
    #expect(try other.tryLock(details: "b"))
    #expect(try scratch.text("lock") == "b")
  }

  @Test("a child of the holder does not inherit the lock")
  func children() throws {
    let holder = try LockFile(scratch["lock"])
    #expect(try holder.tryLock(details: "a"))
    // Not by Foundation, which closes in its children what was left open.
    let words = [strdup("sleep"), strdup("60"), nil]
    defer { words.forEach { free($0) } }
    var child: pid_t = 0
    try #require(posix_spawnp(&child, "sleep", nil, nil, words, environ) == 0)
    defer {
      _ = kill(child, SIGKILL)
      waitpid(child, nil, 0)
    }
    let folder = "/proc/\(child)/fd"
    let open = try FileManager.default.contentsOfDirectory(atPath: folder).map {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) ?? ""
    }
    #expect(!open.isEmpty)
    #expect(!open.contains(scratch["lock"]))
  }

  @Test("a lock file that was deleted or exchanged is no lock any more")
  func replaced() throws {
    let lock = try LockFile(scratch["lock"])
    try #require(unlink(scratch["lock"]) == 0)
    #expect(throws: FileError(.replaced, scratch["lock"])) { try lock.tryLock(details: "a") }
    try scratch.write("", to: "lock")
    #expect(throws: FileError(.replaced, scratch["lock"])) { try lock.tryLock(details: "a") }
    #expect(try LockFile(scratch["lock"]).tryLock(details: "a"))
  }

  @Test("details longer than 4096 bytes are cut")
  func longDetails() throws {
    let lock = try LockFile(scratch["lock"])
    #expect(try lock.tryLock(details: String(repeating: "x", count: 10_000)))
    #expect(try lock.details()?.utf8.count == 4096)
  }

  @Test("a lock file is 0600 under any umask", arguments: [0o777, 0o000])
  func umasks(mask: Int) async throws {
    await #expect(processExitsWith: .success) { [path = scratch["lock"] as String, mask = mask as Int] in
      umask(mode_t(mask))
      let lock = try LockFile(path)
      #expect(try lock.tryLock(details: "a"))
      #expect(try mode(path) == 0o600)
    }
  }

  @Test("a link, a named pipe, a directory and a file open to others are no lock files")
  func refused() throws {
    try #require(mkfifo(scratch["fifo"], 0o600) == 0 && mkdir(scratch["directory"], 0o700) == 0)
    try scratch.write("victim", to: "open", mode: 0o644)
    try scratch.write("victim", to: "file")
    try scratch.link("link", to: "file")
    let cases: [(name: String, code: FileError.Code)] = [
      ("fifo", .notRegular(.fifo)), ("directory", .isDirectory), ("link", .symlink), ("open", .tooOpen(mode: 0o644)),
      ("none/lock", .notFound),
    ]
    for (name, code) in cases {
      #expect(throws: FileError(code, scratch[name])) { try LockFile(scratch[name]) }
    }
    #expect(try scratch.text("file") == "victim")
    #expect(try scratch.text("open") == "victim")
  }
}
