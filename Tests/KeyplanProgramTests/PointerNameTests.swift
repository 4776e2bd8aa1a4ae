import Testing

/// A name at a target that is written as a JSON Pointer: it is recorded as the name alone where it is at the top level.
@Suite("A pointer as the name at a target")
struct PointerNameTests {
  struct Format: CustomTestStringConvertible, Sendable {
    let type: String
    /// The file with these values under N74, a/b and, in it, c~d.
    let text: @Sendable (_ plain: String, _ slash: String, _ tilde: String) -> String
    var testDescription: String { type }
  }

  private static let formats = [
    Format(type: "json") { "{\"N74\": \"\($0)\", \"a/b\": \"\($1)\", \"o\": {\"c~d\": \"\($2)\"}, \"kept\": \"k\"}\n" },
    Format(type: "yaml") { "N74: \($0)\na/b: \($1)\no:\n  c~d: \($2)\nkept: k\n" },
    Format(type: "plist") {
      "<plist version=\"1.0\"><dict><key>N74</key><string>\($0)</string><key>a/b</key><string>\($1)</string>"
        + "<key>o</key><dict><key>c~d</key><string>\($2)</string></dict><key>kept</key><string>k</string></dict></plist>\n"
    },
  ]

  private static func manifest(_ format: Format, _ names: [String]) -> String {
    let keys = zip(names, ["one", "two", "three"]).map { "\"\($0)\": \($1)" }.joined(separator: ", ")
    return """
      version: 1
      keys:
        one: { provider: generic, variable: ONE, source: file://one.txt }
        two: { provider: generic, variable: TWO, source: file://two.txt }
        three: { provider: generic, variable: THREE, source: file://three.txt }
      targets:
        t: { type: \(format.type), path: t.file, mode: "0644", takeOver: true, keys: { \(keys) } }

      """
  }

  @Test("is planned, applied, compared, accepted and removed as the name that it leads to", arguments: formats)
  func names(format: Format) throws {
    let sandbox = try ProgramSandbox()
    func run(_ arguments: String...) throws -> ProgramRun.Answer {
      try sandbox.start([Shell.program] + arguments).wait()
    }
    func text() -> String { String(decoding: sandbox.content(of: "t.file") ?? [], as: UTF8.self) }
    for (name, value) in [("one", "value-1"), ("two", "value-2"), ("three", "value-3")] {
      try sandbox.write(value, to: "\(name).txt")
    }
    try sandbox.write(format.text("x", "y", "z"), to: "t.file")
    let pointers = ["/N74", "/a~1b", "/o/c~0d"]
    try sandbox.write(Self.manifest(format, pointers), to: "keyplan.yaml")
    #expect(try run("init").code == 0)
    let applied = try run("apply", "--yes")
    #expect(applied.code == 0, "\(applied.out)\(applied.err)")
    #expect(text() == format.text("value-1", "value-2", "value-3"))
    #expect(try run("plan").out.contains("No changes") && run("drift").code == 0)
    // Another spelling of the first two names changes nothing.
    try sandbox.write(Self.manifest(format, ["N74", "/a~1b", "/o/c~0d"]), to: "keyplan.yaml")
    #expect(try run("plan").out.contains("No changes"))
    try sandbox.write(Self.manifest(format, pointers), to: "keyplan.yaml")

    for (name, changed) in [
      ("/N74", ["theirs", "value-2", "value-3"]), ("N74", ["again", "value-2", "value-3"]),
      ("/a~1b", ["again", "theirs", "value-3"]), ("/o/c~0d", ["again", "theirs", "nested"]),
    ] {
      try sandbox.write(format.text(changed[0], changed[1], changed[2]), to: "t.file")
      let drift = try run("drift")
      #expect(drift.code == 2 && drift.out.contains("target.t."), "\(name): \(drift.out)\(drift.err)")
      let accepted = try run("accept", "target.t.\(name)", "--yes")
      #expect(accepted.code == 0, "\(name): \(accepted.out)\(accepted.err)")
      // The sources still have the earlier values.
      #expect(try !run("drift").out.contains("target.t."), "\(name)")
      // Once more there is nothing to do.
      let repeated = try run("accept", "target.t.\(name)", "--yes")
      #expect(repeated.code == 0 && repeated.out.contains("already recorded"), "\(name): \(repeated.err)")
    }
    // The record of one name, by each spelling.
    for name in ["/N74", "N74"] {
      let forgotten = try run("records", "forget", "target.t.\(name)", "--yes")
      #expect(forgotten.code == 0, "\(name): \(forgotten.out)\(forgotten.err)")
      #expect(try run("apply", "--yes").code == 0)
    }
    // Without the entry, the name is removed from the file, and nothing else is.
    try sandbox.write(Self.manifest(format, []).replacing("takeOver: true, ", with: ""), to: "keyplan.yaml")
    let withdrawn = try run("apply", "--yes", "--allow-forget")
    #expect(withdrawn.code == 0, "\(withdrawn.out)\(withdrawn.err)")
    #expect(!text().contains("N74") && !text().contains("a/b") && !text().contains("c~d") && text().contains("kept"))
    #expect(try run("plan").out.contains("No changes"))
  }
}
