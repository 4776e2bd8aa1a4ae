import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

@Suite struct PrivateTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("files are 0600 and directories 0700 under any umask", arguments: [0o777, 0o000, 0o022])
  func umasks(mask: Int) async throws {
    await #expect(processExitsWith: .success) { [path = scratch.path as String, mask = mask as Int] in
      umask(mode_t(mask))
      try PrivateDirectory.ensure(path + "/state/keyplan/")
      try PrivateFile.create(path + "/state/keyplan/identity", [1, 2])
      #expect(try mode(path + "/state") == 0o700)
      #expect(try mode(path + "/state/keyplan") == 0o700)
      #expect(try mode(path + "/state/keyplan/identity") == 0o600)
      #expect(try SafeFile.readPrivate(path + "/state/keyplan/identity", limit: 2) == [1, 2])
      try PrivateDirectory.ensure(path + "/state/keyplan")
    }
  }

  @Test("nothing that is there is overwritten by a new private file, be it a link to nothing")
  func exists() throws {
    try scratch.write("old", to: "file")
    try scratch.link("link", to: "nowhere")
    for name in ["file", "link"] {
      #expect(throws: FileError(.exists, scratch[name])) { try PrivateFile.create(scratch[name], [1]) }
    }
    #expect(try scratch.text("file") == "old")
    #expect(try scratch.names() == ["file", "link"])
  }

  @Test("a new private file has its name only once it is whole, and takes away what a killed maker left")
  func whole() throws {
    try scratch.write("half", to: "file.keyplan-new")
    try PrivateFile.create(scratch["file"], [1, 2])
    #expect(try SafeFile.readPrivate(scratch["file"], limit: 2) == [1, 2])
    #expect(try scratch.names() == ["file"])
    let missing = #expect(throws: FileError.self) { try PrivateFile.create(scratch["none/file"], [1]) }
    #expect(missing?.code == .notFound)
  }

  @Test("a directory that others can enter is refused with the chmod to run, and not changed")
  func openDirectory() throws {
    try #require(mkdir(scratch["open"], 0o755) == 0 && chmod(scratch["open"], 0o755) == 0)
    let error = #expect(throws: FileError.self) { try PrivateDirectory.ensure(scratch["open"]) }
    #expect(error?.code == .tooOpen(mode: 0o755))
    #expect(error?.hint == "chmod 700 '\(scratch["open"])'")
    #expect(try mode(scratch["open"]) == 0o755)
    try PrivateDirectory.ensure(scratch["open/inner"])
    #expect(try mode(scratch["open"]) == 0o755)
  }

  @Test("what is no directory is refused")
  func notDirectory() throws {
    try scratch.write("", to: "file")
    try scratch.link("link", to: ".")
    #expect(throws: FileError(.notDirectory, scratch["file"])) { try PrivateDirectory.ensure(scratch["file"]) }
    #expect(throws: FileError(.notDirectory, scratch["file/x"])) { try PrivateDirectory.ensure(scratch["file/x"]) }
    #expect(throws: FileError(.symlink, scratch["link"])) { try PrivateDirectory.ensure(scratch["link"]) }
  }
}
