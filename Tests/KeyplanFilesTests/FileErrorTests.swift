import Foundation
import Testing

@testable import KeyplanFiles

@Suite struct FileErrorTests {
  static let codes: [FileError.Code] = [
    .notFound, .permission, .isDirectory, .notDirectory, .notRegular(.fifo), .symlink, .brokenLink,
    .tooOpen(mode: 0o640),
    .otherOwner(7), .hardLinked, .tooLarge(limit: 10), .outsideTree(root: "/tree"), .readOnly, .readOnlyFileSystem,
    .exists, .busy,
    .replaced, .changed, .setAside,
    .noSpace, .io(errno: 5),
  ]

  @Test("every error says what and where, in words of its own", arguments: codes)
  func words(code: FileError.Code) {
    let words = FileError(code, "/some/file").description
    #expect(words.contains("/some/file"))
    #expect(!words.hasSuffix("."))
    #expect(Self.codes.filter { FileError($0, "/some/file").description == words } == [code])
  }

  @Test("the words carry modes in octal, limits, owners, and the system's own words")
  func particulars() {
    #expect(FileError(.tooOpen(mode: 0o640), "f").description == "f is accessible to group or others (mode 640)")
    #expect(FileError(.tooLarge(limit: 10), "f").description == "f is larger than 10 bytes")
    #expect(FileError(.tooLarge(limit: 64 << 10), "f").description == "f is larger than 64 KiB")
    #expect(FileError(.tooLarge(limit: 16 << 20), "f").description == "f is larger than 16 MiB")
    #expect(FileError(.io(errno: 5), "f").description == "f: Input/output error")
    #expect(FileError(.invalidPath, "a\0b").description == "The path contains a NUL character")
  }

  @Test("what a read-only file system refuses is not mended by a mode")
  func readOnlyFileSystem() throws {
    let error = FileError(Status.code(for: EROFS), "f")
    #expect(error.description == "f is on a read-only file system")
    #expect(try #require(error.hint).contains("chmod") == false)
  }

  @Test("a call that is interrupted is repeated, and one that is interrupted for ever fails")
  func interrupted() throws {
    var calls = 0
    let answer: Int = try retrying("f") {
      calls += 1
      errno = EINTR
      return calls < 20 ? -1 : 7
    }
    #expect(answer == 7)
    #expect(throws: FileError(.io(errno: EINTR), "f")) {
      try retrying("f") { () -> Int in
        errno = EINTR
        return -1
      }
    }
  }

  @Test("a path that looks like an option is no option in the hint")
  func option() {
    #expect(FileError(.tooOpen(mode: 0o4), "-R").hint == "chmod 000 './-R'")
  }
}
