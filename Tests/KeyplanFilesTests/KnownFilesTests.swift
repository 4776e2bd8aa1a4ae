import Foundation
import Testing

@testable import KeyplanFiles

@Suite("Files that are known under any of their names")
struct KnownFilesTests {
  @Test("are recognised by links, and not by an inode that another file has got")
  func identity() throws {
    let folder = NSTemporaryDirectory() + "keyplan-known-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func path(_ name: String) -> String { folder + "/" + name }
    for name in ["own", "journal"] { try Data(name.utf8).write(to: URL(filePath: path(name))) }
    let known = KnownFiles([(path("own"), "the manifest"), (path("journal"), "a journal"), (path("no"), "nothing")])
    try #require(link(path("own"), path("hard")) == 0 && symlink("own", path("soft")) == 0)
    for name in ["own", "hard", "soft"] { #expect(known.words(for: path(name)) == "the manifest") }
    // What a file system does when it gives the inode of a file that is gone to another one.
    try #require(rename(path("journal"), path("app.env")) == 0)
    #expect(known.words(for: path("app.env")) == nil)
    #expect(known.words(for: path("no")) == nil)
  }
}
