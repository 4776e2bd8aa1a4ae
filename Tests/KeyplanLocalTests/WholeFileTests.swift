import Foundation
import KeyplanDocuments
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanTesting
import TestTools
import Testing

@testable import KeyplanLocal

@Suite("Whole files as targets")
struct WholeFileTests {
  private let scratch: Scratch
  private let target: FileTarget<WholeDocument>
  private let place = Destination(type: "file", location: "key.pem")

  init() throws {
    scratch = try Scratch()
    target = FileTarget<WholeDocument>(TargetContext(folder: scratch.path, home: nil))
  }

  private func changes(_ value: String?, mode: String? = nil) -> TargetChanges {
    TargetChanges(
      set: value.map { [("content", SecretBox(Array($0.utf8)))] } ?? [], remove: value == nil ? ["content"] : [],
      mode: mode.flatMap { FileMode($0) })
  }

  private func read() async -> String? {
    guard case .values(let values) = await target.read(["content"], at: place),
      case .text(let text)? = values["content"]
    else { return nil }
    return text.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test("the contract of targets holds for its one name")
  func contract() async throws {
    try scratch.folder("folder")
    let contract = TargetContract(
      target, at: place, unusable: Destination(type: "file", location: "folder"), onlyName: "content")
    #expect(await contract.violations() == [])
    #expect(try scratch.names() == ["folder"])
  }

  @Test(
    "several lines end in a line break, one line is written as it is",
    arguments: [
      ("-----BEGIN-----\nx\n-----END-----", "-----BEGIN-----\nx\n-----END-----\n"), ("a\r\nb\r\n", "a\r\nb\r\n"),
      ("-----BEGIN-----\nx\n-----END-----\n", "-----BEGIN-----\nx\n-----END-----\n"), ("token", "token"),
      ("a\n", "a\n\n"),
    ])
  func newline(value: String, file: String) async throws {
    _ = try await target.write(changes(value), at: place)
    #expect(try scratch.text("key.pem") == file)
    let read = try #require(await read())
    #expect(SecretBox(Array(read.utf8)).isSameValue(as: SecretBox(Array(value.utf8))))
  }

  @Test("a file that already has the value is not written, with or without a newline at its end")
  func same() async throws {
    for text in ["token", "token\n"] {
      try scratch.write(text, to: "key.pem")
      _ = try await target.write(changes("token"), at: place)
      #expect(try scratch.text("key.pem") == text)
    }
  }

  @Test("a new file has mode 0600 or the declared one, and an existing file keeps its own")
  func mode() async throws {
    _ = try await target.write(changes("x"), at: place)
    #expect(await target.mode(at: place) == FileMode("0600"))
    _ = try await target.write(changes("x", mode: "0640"), at: place)
    #expect(await target.mode(at: place) == FileMode("0640"))
    _ = try await target.write(changes("y"), at: place)
    #expect(await target.mode(at: place) == FileMode("0640"))
  }

  @Test("removing the value deletes the file, unless it changes just then")
  func removing() async throws {
    try scratch.write("x", to: "key.pem")
    let path = scratch["key.pem"]
    let racing = FileTarget<WholeDocument>(
      TargetContext(folder: scratch.path, home: nil),
      meanwhile: { try? Data("theirs".utf8).write(to: URL(fileURLWithPath: path)) })
    await #expect(throws: AccessFailure.self) { _ = try await racing.write(changes(nil), at: place) }
    #expect(try scratch.text("key.pem") == "theirs")
    #expect(try await target.write(changes(nil), at: place) == ["content": .done()])
    #expect(try scratch.names() == [])
    #expect(try await target.write(changes(nil), at: place) == ["content": .done()])
  }

  @Test("a link is not followed out of the folder, and a second name or a read-only mode keeps a file as it is")
  func refused() async throws {
    let elsewhere = try Scratch()
    try elsewhere.write("theirs", to: "file")
    try scratch.link("key.pem", to: elsewhere["file"])
    for value in ["x", nil] {
      await #expect(throws: AccessFailure.self) { _ = try await target.write(changes(value), at: place) }
    }
    #expect(try elsewhere.text("file") == "theirs")
    try #require(unlink(scratch["key.pem"]) == 0)
    try scratch.write("old", to: "key.pem", mode: 0o400)
    for value in ["x", nil] {
      await #expect(throws: AccessFailure.self) { _ = try await target.write(changes(value), at: place) }
    }
    #expect(try scratch.text("key.pem") == "old")
  }
}
