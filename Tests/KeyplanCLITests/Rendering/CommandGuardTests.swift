import Testing

@testable import KeyplanCLI

@Suite("The guard against commands to CI services")
struct CommandGuardTests {
  static let texts: [(text: String, guarded: String)] = [
    ("::stop-commands::x\n", "\\::stop-commands::x\n"),
    ("  \t::add-mask::x", "  \t\\::add-mask::x"),
    ("\u{a0}\u{3000}::x", "\u{a0}\u{3000}\\::x"),
    ("a\n::x\r::y", "a\n\\::x\r\\::y"),
    ("a ::x a::b", "a ::x a::b"),
    (":x :", ":x :"),
    ("##[group]x", "#\\#[group]x"),
    ("a ##[group]x", "a #\\#[group]x"),
    ("a ##vso[task.setvariable variable=x]y", "a #\\#vso[task.setvariable variable=x]y"),
    (" ##teamcity[message]", " #\\#teamcity[message]"),
    ("##x", "#\\#x"),
    ("###[x]", "#\\##[x]".replacing("##[", with: "#\\#[")),
    ("a ###vso[x]", "a ##\\#vso[x]"),
    ("### keyplan plan\n## b", "### keyplan plan\n## b"),
    ("# a", "# a"),
    ("a ## b", "a ## b"),
  ]

  @Test("no line begins with one, and none has one in it that is found anywhere", arguments: texts)
  func guarded(text: String, guarded: String) {
    var commandGuard = CommandGuard()
    #expect(commandGuard.guarded(text) == guarded)
    for mark in ["##[", "##vso[", "##teamcity["] { #expect(!guarded.contains(mark)) }
  }

  @Test("a line may come in pieces")
  func pieces() {
    var commandGuard = CommandGuard()
    #expect(commandGuard.guarded("  ") == "  ")
    #expect(commandGuard.guarded("::x") == "\\::x")
    #expect(commandGuard.guarded("::y\n") == "::y\n")
    #expect(commandGuard.guarded("::z") == "\\::z")
  }
}
