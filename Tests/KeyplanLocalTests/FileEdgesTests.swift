import Foundation
import KeyplanDocuments
import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools
import Testing

@Suite("Files as sources")
struct FileEdgesTests {
  @Test(
    "the line break at the end of a single line is dropped, and several lines are left as they are",
    arguments: [
      (bytes: "key", value: "key"), (bytes: "key\n", value: "key"), (bytes: "key\r\n", value: "key"),
      (bytes: "key\n\n", value: "key\n"), (bytes: "key\r", value: "key\r"), (bytes: "\nkey ", value: "\nkey "),
      (bytes: "one\ntwo\n", value: "one\ntwo\n"), (bytes: "one\r\ntwo\r\n", value: "one\r\ntwo\r\n"),
      (bytes: "one\ntwo", value: "one\ntwo"),
    ])
  func newline(_ given: (bytes: String, value: String)) async throws {
    let scratch = try Scratch()
    try scratch.write(given.bytes, to: "file")
    #expect(await FileSource(SourceContext(scratch)).tell(.file("file", "file")) == .value(given.value))
  }

  @Test(
    "what cannot be a key is unreadable, and says why",
    arguments: [
      (bytes: "", reason: "The value is empty."), (bytes: "\n", reason: "The value is empty."),
      (bytes: " \t\n", reason: "The value consists of white space only."),
      (bytes: "a\0b", reason: "The value holds a NUL byte."),
      (bytes: String(repeating: "x", count: 1 << 20 + 1), reason: "The value is larger than 1 MiB."),
    ])
  func unusable(_ given: (bytes: String, reason: String)) async throws {
    let scratch = try Scratch()
    try scratch.write(given.bytes, to: "file")
    #expect(await FileSource(SourceContext(scratch)).tell(.file("file", "file")) == .unreadable(given.reason))
  }

  @Test("a value of exactly 1 MiB is read, and a file of more is refused")
  func limit() async throws {
    let scratch = try Scratch()
    let mebibyte = String(repeating: "x", count: 1 << 20)
    try scratch.write(mebibyte + "\r\n", to: "most")
    try scratch.write(mebibyte + "xxx", to: "more")
    let source = FileSource(SourceContext(scratch))
    #expect(await source.tell(.file("file", "most")) == .value(mebibyte))
    #expect(await source.tell(.file("file", "more")).isUnreadable)
  }

  @Test("a file as it is has every byte, and is taken away as that")
  func whole() async throws {
    let scratch = try Scratch()
    let bytes: [UInt8] = [0x80, 0, 0xFF, 0x0D, 0x0A]
    try Data(bytes).write(to: URL(fileURLWithPath: scratch["a"]))
    try scratch.write("", to: "empty")
    try scratch.write(String(repeating: "a", count: (1 << 20) + 1), to: "large")
    let source = FileSource(SourceContext(scratch))
    let references = ["a", "empty", "large", "none"].map { Reference.file("file", $0) }
    let answers = await source.readFiles(references)
    guard case .value(let value) = answers[0] else {
      Issue.record("\(answers[0])")
      return
    }
    #expect(value.withBytes { $0.elementsEqual(bytes) })
    #expect(
      answers.dropFirst().map(Told.init) == [
        .unreadable("The value is empty."), .unreadable("The value is larger than 1 MiB."), .missing,
      ])
    #expect(await source.tell(references[0]) == .unreadable("The value holds a NUL byte."))
    try Data([0x81] + bytes.dropFirst()).write(to: URL(fileURLWithPath: scratch["a"]))
    await #expect(throws: AccessFailure.self) { try await source.remove(references[0], holding: value) }
    try Data(bytes).write(to: URL(fileURLWithPath: scratch["a"]))
    try await source.remove(references[0], holding: value)
    #expect(!FileManager.default.fileExists(atPath: scratch["a"]))
  }

  @Test("a document larger than 16 MiB is refused")
  func largeDocument() async throws {
    let scratch = try Scratch()
    try scratch.write("A=1\n#" + String(repeating: "x", count: 16 << 20), to: ".env")
    #expect(
      await DocumentSource<DotenvDocument>(SourceContext(scratch)).tell(.file("dotenv", ".env", "A")).isUnreadable)
  }

  @Test("a link that leads out of the folder is refused, and followed where that was allowed")
  func links() async throws {
    let (scratch, elsewhere) = (try Scratch(), try Scratch())
    try elsewhere.write("A=outside", to: "secret")
    try scratch.write("A=inside", to: "here")
    try scratch.link("out", to: elsewhere["secret"])
    try scratch.link("folder", to: elsewhere.path)
    try scratch.link("in", to: scratch["here"])
    try scratch.link("nowhere", to: scratch["gone"])
    let source = DocumentSource<DotenvDocument>(SourceContext(scratch))
    #expect(await source.tell(.file("dotenv", "in", "A")) == .value("inside"))
    let refused = ["out", "folder/secret", "../\(elsewhere.path.split(separator: "/").last ?? "")/secret", "nowhere"]
    for path in refused { #expect(await source.tell(.file("dotenv", path, "A")).isUnreadable, "\(path)") }
    #expect(await source.tell(.file("dotenv", elsewhere["secret"], "A")).isUnreadable)
    #expect(
      await source.tell(.file("dotenv", "ignored", "A", allowed: elsewhere["secret"])) == .value("outside"))
  }

  @Test("~ is the home directory, unreachable where nobody knows one; $HOME is four letters and a sign")
  func home() async throws {
    let (scratch, home) = (try Scratch(), try Scratch())
    try home.write("at home", to: "key")
    try scratch.write("a name", to: "$HOME")
    try scratch.write("not a user", to: "~ada")
    let context = SourceContext(scratch, home: home.path)
    #expect(await FileSource(context).tell(.file("file", "~/key", allowed: "~/key")) == .value("at home"))
    #expect(await FileSource(context).tell(.file("file", "~/key", allowed: home["key"])) == .value("at home"))
    #expect(await FileSource(context).tell(.file("file", "$HOME")) == .value("a name"))
    #expect(await FileSource(context).tell(.file("file", "~ada")) == .value("not a user"))
    let homeless = await FileSource(SourceContext(scratch)).tell(.file("file", "~/key", allowed: "~/key"))
    #expect(homeless == .unreachable("The path begins with ~, but the home directory is unknown."))
  }

  @Test("a file that this user may not read is denied, not missing")
  func permission() async throws {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try scratch.write("secret", to: "file", mode: 0)
      try #require(chmod(scratch.path, 0o755) == 0)
      Child.becomeNobody()
      let told = await FileSource(SourceContext(scratch)).tell(.file("file", "file"))
      exit(told.isDenied ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test(
    "only strings are values; null and an empty variable are missing",
    arguments: [
      (scheme: "json", text: #"{"a": null}"#, told: Told.missing),
      (scheme: "json", text: #"{"a": ""}"#, told: .unreadable("The value is empty.")),
      (scheme: "json", text: #"{"a": {}}"#, told: .unreadable("The value is an object, not a string.")),
      (scheme: "json", text: #"{"a": ["x"]}"#, told: .unreadable("The value is a list, not a string.")),
      (scheme: "json", text: #"{"a": "x\u0000y"}"#, told: .unreadable("The value holds a NUL byte.")),
      (scheme: "yaml", text: "a: ~", told: .missing),
      (scheme: "yaml", text: "a: no", told: .value("no")),
      (scheme: "dotenv", text: "a=", told: .missing),
      (scheme: "dotenv", text: "a=''", told: .missing),
      (scheme: "dotenv", text: "a=$b", told: .value("$b")),
      (
        scheme: "plist", text: #"<plist version="1.0"><dict><key>a</key><data>AA==</data></dict></plist>"#,
        told: .unreadable("The value is data, not a string.")
      ),
    ])
  func kinds(_ given: (scheme: String, text: String, told: Told)) async throws {
    let scratch = try Scratch()
    try scratch.write(given.text, to: "file")
    let source = try #require(
      LocalBackends.sources(SourceContext(scratch)).first { $0.backend.name == given.scheme })
    let selector = source.backend.reference?.selector == .pointer ? "/a" : "a"
    #expect(await source.tell(.file(given.scheme, "file", selector)) == given.told)
  }

  @Test("a file that does not parse says where, and shows nothing of itself")
  func unparseable() async throws {
    let scratch = try Scratch()
    try scratch.write("A=1\nB=\"sk-canary\n", to: ".env")
    guard
      case .failed(.unreadable, let reason) = await DocumentSource<DotenvDocument>(SourceContext(scratch)).tell(
        .file("dotenv", ".env", "A"))
    else {
      Issue.record("it was read")
      return
    }
    #expect(reason.hasPrefix("Line 2, column"))
    #expect(!reason.contains("canary"))
  }

  @Test("10,000 references into one file read it once")
  func once() async throws {
    let scratch = try Scratch()
    try scratch.write((0..<10_000).map { "K\($0)=v\($0)\n" }.joined(), to: ".env")
    let told = await DocumentSource<DotenvDocument>(SourceContext(scratch)).tell(
      (0..<10_000).map { .file("dotenv", ".env", "K\($0)") })
    #expect(told == (0..<10_000).map { .value("v\($0)") })
  }
}

extension Told? {
  var isUnreadable: Bool { if case .failed(.unreadable, _) = self { true } else { false } }
  var isDenied: Bool { if case .failed(.denied, _) = self { true } else { false } }
  var isUnreachable: Bool { if case .failed(.unreachable, _) = self { true } else { false } }
}
