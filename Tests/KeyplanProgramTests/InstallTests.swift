import Foundation
import Testing

/// What `make install` does, with the program that was built for the tests.
@Suite("make install")
struct InstallTests {
  private static let scripts =
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scripts").path
  private static let hasPython = access("/usr/bin/python3", X_OK) == 0
  private static let hasMan = access("/usr/bin/man", X_OK) == 0

  private func installed() throws -> ProgramSandbox {
    let sandbox = try ProgramSandbox()
    sandbox.variables["DESTDIR"] = sandbox.root + "/tmp"
    sandbox.variables["PREFIX"] = "/opt/it"
    let answer = try sandbox.start([Self.scripts + "/install.sh", Shell.program]).wait()
    try #require(answer.code == 0, "\(answer.err)")
    return sandbox
  }

  @Test("puts the program, its completions and a page for every command in place")
  func files() throws {
    let sandbox = try installed()
    let files = sandbox.files(in: ["tmp"])
    for name in [
      "bin/keyplan", "share/bash-completion/completions/keyplan", "share/zsh/site-functions/_keyplan",
      "share/fish/vendor_completions.d/keyplan.fish",
    ] {
      #expect(files.contains("tmp/opt/it/" + name), "\(name)")
    }
    let version = try sandbox.start([sandbox.root + "/tmp/opt/it/bin/keyplan", "--version"]).wait()
    #expect(version.code == 0)
    let own = sandbox.files(in: ["project", "home"]).filter { !$0.hasSuffix("/.") }
    #expect(own.isEmpty, "an installation writes nowhere else")
    guard Self.hasPython else { return }
    // The commands as the help lists them: two spaces, the name, and what it does.
    let help = try sandbox.keyplan("--help").out.components(separatedBy: "SUBCOMMANDS:\n").dropFirst()
      .joined(separator: "\n")
    let commands = help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first }.filter { $0 != "See" }
    try #require(commands.count > 30)
    for command in commands { #expect(files.contains("tmp/opt/it/share/man/man1/keyplan-\(command).1"), "\(command)") }
  }

  @Test("man renders every page without a warning", .enabled(if: hasPython && hasMan, "needs python3 and man"))
  func pages() throws {
    let sandbox = try installed()
    sandbox.variables["MANROFFOPT"] = "-ww"
    sandbox.variables["MANWIDTH"] = "80"
    let pages = sandbox.files(in: ["tmp"]).filter { $0.hasSuffix(".1") }
    try #require(pages.count > 10)
    for page in pages {
      let answer = try sandbox.start(["man", "-l", sandbox.root + "/" + page]).wait()
      #expect(answer.code == 0 && answer.err.isEmpty, "\(page): \(answer.err)")
      #expect(answer.out.contains("EXIT STATUS"), "\(page)")
      #expect(answer.out.contains("an error in the manifest or the run"), "\(page)")
    }
    let root = try sandbox.start(["man", "-l", sandbox.root + "/tmp/opt/it/share/man/man1/keyplan.1"]).wait().out
    #expect(root.contains("keyplan-plan(1)"))
  }

  @Test("the same program makes the same pages", .enabled(if: hasPython, "needs python3"))
  func reproducible() throws {
    let (first, second) = (try installed(), try installed())
    let pages = first.files(in: ["tmp"]).filter { $0.hasSuffix(".1") }
    try #require(pages == second.files(in: ["tmp"]).filter { $0.hasSuffix(".1") })
    for page in pages {
      let texts = try [first, second].map { try Data(contentsOf: URL(filePath: $0.root + "/" + page)) }
      #expect(texts[0] == texts[1], "\(page)")
    }
  }
}
