import Foundation
import TestTools
import Testing

@testable import KeyplanFiles

/// Somebody else changes a file while it is replaced or removed.
@Suite struct LastMomentTests {
  let scratch: Scratch
  private var path: String { scratch["f"] }
  private let old = Array("old".utf8)
  private let new = Array("new".utf8)
  private let theirs = Array("theirs".utf8)

  init() throws {
    scratch = try Scratch()
    try scratch.write("old", to: "f", mode: 0o640)
  }

  enum Change: CaseIterable { case byRename, inPlace, sameLength, byLink, removed }

  private func make(_ change: Change, _ text: String = "theirs") {
    switch change {
    case .byRename:
      #expect(throws: Never.self) { try scratch.write(text, to: "edited") }
      #expect(rename(scratch["edited"], path) == 0)
    case .inPlace: #expect(FileManager.default.createFile(atPath: path, contents: nil) && write(text))
    case .sameLength: #expect(write("OLD"))
    case .byLink:
      #expect(unlink(path) == 0)
      #expect(throws: Never.self) { try scratch.link("f", to: "elsewhere") }
    case .removed: #expect(unlink(path) == 0)
    }
  }

  private func write(_ text: String) -> Bool {
    guard let file = FileHandle(forWritingAtPath: path) else { return false }
    file.write(Data(text.utf8))
    return (try? file.close()) != nil
  }

  private func expected(after change: Change) -> String? {
    switch change {
    case .byRename, .inPlace: "theirs"
    case .sameLength: "OLD"
    case .byLink, .removed: nil
    }
  }

  @Test(
    "a change after the comparison is put back, and the file is neither replaced nor removed",
    arguments: Change.allCases)
  func putBack(change: Change) throws {
    for isReplacing in [true, false] {
      try? FileManager.default.removeItem(atPath: path)
      try scratch.write("old", to: "f", mode: 0o640)
      #expect(throws: FileError(.changed, path)) {
        if isReplacing {
          try AtomicFile.replace(path, with: new, .content(old), justBefore: { make(change) })
        } else {
          try AtomicFile.remove(path, .content(old), justBefore: { make(change) })
        }
      }
      if let text = expected(after: change) {
        #expect(try scratch.text("f") == text, "\(isReplacing)")
      } else {
        let kind = try Status.ofName(path, path: "")?.kind
        #expect(kind == (change == .byLink ? .symlink : nil), "\(isReplacing)")
      }
      #expect(try scratch.names() == (change == .removed ? [] : ["f"]), "\(isReplacing)")
    }
  }

  @Test("a file that appears where none was is not replaced")
  func appeared() throws {
    let made = scratch["made"]
    #expect(throws: FileError(.changed, made)) {
      try AtomicFile.replace(
        made, with: new, .nothing,
        justBefore: { _ = FileManager.default.createFile(atPath: made, contents: Data(theirs)) })
    }
    #expect(try scratch.text("made") == "theirs")
    #expect(try scratch.names() == ["f", "made"])
  }

  @Test("without such a change nothing is left beside the file, which keeps its mode, and the draft was whole before")
  func undisturbed() throws {
    try AtomicFile.replace(
      path, with: new, .content(old),
      justBefore: {
        #expect((try? scratch.names()) == ["f", "f.keyplan-new"])
        #expect((try? scratch.text("f.keyplan-new")) == "new")
      },
      justAfter: {
        #expect((try? scratch.names()) == ["f", "f.keyplan-new", "f.keyplan-was"])
        #expect((try? scratch.text("f")) == "new" && (try? scratch.text("f.keyplan-new")) == "old")
      })
    #expect(try scratch.text("f") == "new" && mode(path) == 0o640)
    #expect(try scratch.names() == ["f"])
    try AtomicFile.remove(
      path, .content(new), justAfter: { #expect((try? scratch.names()) == ["f.keyplan-new", "f.keyplan-was"]) })
    #expect(try scratch.names() == [])
  }

  @Test("a second writer in that moment finds the first at work, and takes nothing for a leftover")
  func secondWriter() throws {
    let busy = FileError(.busy, path + ".keyplan-new")
    try AtomicFile.replace(
      path, with: new, .content(old),
      justAfter: {
        #expect(throws: busy) { try AtomicFile.replace(path, with: theirs, expecting: new, isShared: true) }
        #expect(throws: busy) { try AtomicFile.removeLeftOver(of: path) }
      })
    #expect(try scratch.text("f") == "new" && scratch.names() == ["f"])
  }

  @Test("a file that somebody writes between the exchange and its reversal stays, and the change before it is kept")
  func twice() throws {
    #expect(throws: FileError(.setAside, path + ".keyplan-new")) {
      try AtomicFile.replace(
        path, with: new, .content(old), justBefore: { make(.byRename) }, justAfter: { make(.byRename, "newest") })
    }
    #expect(try scratch.text("f") == "newest" && scratch.text("f.keyplan-new") == "theirs")
    // The next writer does not remove it, and says where it is.
    for _ in 1...2 {
      #expect(throws: FileError(.setAside, path + ".keyplan-new")) {
        try AtomicFile.replace(path, with: new, expecting: Array("newest".utf8))
      }
    }
    #expect(try scratch.text("f") == "newest" && scratch.text("f.keyplan-new") == "theirs")
    try #require(unlink(scratch["f.keyplan-new"]) == 0)
    try AtomicFile.replace(path, with: new, expecting: Array("newest".utf8))
    #expect(try scratch.names() == ["f"] && scratch.text("f") == "new")
  }

  @Test("somebody removes the new file before the reversal: their change is put back")
  func removedBetween() throws {
    #expect(throws: FileError(.changed, path)) {
      try AtomicFile.replace(
        path, with: new, .content(old), justBefore: { make(.byRename) }, justAfter: { make(.removed) })
    }
    #expect(try scratch.text("f") == "theirs" && scratch.names() == ["f"])
  }

  @Test("a file that appears while another one is being put back stays, and the other one is kept")
  func appearedBetween() throws {
    #expect(throws: FileError(.setAside, path + ".keyplan-new")) {
      try AtomicFile.remove(
        path, .content(old), justBefore: { make(.byRename) },
        justAfter: { _ = FileManager.default.createFile(atPath: path, contents: Data("newest".utf8)) })
    }
    #expect(try scratch.text("f") == "newest" && scratch.text("f.keyplan-new") == "theirs")
  }

  @Test(
    "what a killed process left is removed by the next writer, and somebody's change is not", arguments: [true, false])
  func killed(isReplacing: Bool) async throws {
    for isChanged in [false, true] {
      let path = scratch[isChanged ? "changed" : "same"]
      try scratch.write("old", to: isChanged ? "changed" : "same")
      await #expect(processExitsWith: .exitCode(7)) {
        [path = path as String, isChanged = isChanged as Bool, isReplacing = isReplacing as Bool] in
        func change() {
          if isChanged { _ = FileManager.default.createFile(atPath: path, contents: Data("theirs".utf8)) }
        }
        let old = Array("old".utf8)
        if isReplacing {
          try AtomicFile.replace(path, with: [1], .content(old), justBefore: { change() }, justAfter: { _exit(7) })
        } else {
          try AtomicFile.remove(path, .content(old), justBefore: { change() }, justAfter: { _exit(7) })
        }
      }
      #expect(FileManager.default.fileExists(atPath: path) == isReplacing)
      #expect(try SafeFile.read(path + ".keyplan-new", limit: 9) == (isChanged ? theirs : old))
      let found: [UInt8]? = isReplacing ? [1] : nil
      if isChanged {
        #expect(throws: FileError(.setAside, path + ".keyplan-new")) { try AtomicFile.removeLeftOver(of: path) }
        #expect(throws: FileError(.setAside, path + ".keyplan-new")) {
          try AtomicFile.replace(path, with: new, expecting: found)
        }
        #expect(try SafeFile.read(path + ".keyplan-new", limit: 9) == theirs)
      } else {
        try AtomicFile.removeLeftOver(of: path)
        #expect(try !scratch.names().contains { $0.hasPrefix("same.") })
        try AtomicFile.replace(path, with: new, expecting: found)
        #expect(try SafeFile.read(path, limit: 9) == new)
      }
    }
  }

  @Test("a file that another program has locked is replaced and removed in the same way")
  func locked() throws {
    let holder = try LockHolder(path)
    defer { holder.kill() }
    #expect(throws: FileError(.changed, path)) {
      try AtomicFile.replace(path, with: new, .content(old), justBefore: { make(.inPlace) })
    }
    #expect(try scratch.text("f") == "theirs" && scratch.names() == ["f"])
    try AtomicFile.replace(path, with: new, expecting: theirs, isShared: true)
    #expect(try scratch.text("f") == "new" && scratch.names() == ["f"])
    let second = try LockHolder(path)
    defer { second.kill() }
    try AtomicFile.remove(path, expecting: new, isShared: true)
    #expect(try scratch.names() == [])
  }

  @Test("a file whose exchange cannot be ended has its old content again", arguments: [true, false])
  func notEnded(isReplacing: Bool) throws {
    let note = scratch["f.keyplan-was"]
    func block() { #expect(unlink(note) == 0 && mkdir(note, 0o700) == 0) }
    #expect(throws: FileError.self) {
      if isReplacing {
        try AtomicFile.replace(path, with: new, .content(old), justAfter: block)
      } else {
        try AtomicFile.remove(path, .content(old), justAfter: block)
      }
    }
    #expect(try scratch.text("f") == "old")
    #expect(rmdir(note) == 0)
    try AtomicFile.replace(path, with: new, expecting: old, isShared: true)
    #expect(try scratch.text("f") == "new" && scratch.names() == ["f"])
  }

  @Test("what is planted under the name of the note costs the exchange, and nothing else")
  func plantedNote() throws {
    try #require(mkdir(scratch["f.keyplan-was"], 0o700) == 0)
    try AtomicFile.replace(path, with: new, expecting: old, isShared: true)
    #expect(try scratch.text("f") == "new" && scratch.names() == ["f", "f.keyplan-was"])
    try AtomicFile.remove(path, expecting: new, isShared: true)
    #expect(try scratch.names() == ["f.keyplan-was"])
  }
}
