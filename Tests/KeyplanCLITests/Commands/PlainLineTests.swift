import ArgumentParser
import TestTools
import Testing

@testable import KeyplanCLI

/// The command lines that are read without the parser.
@Suite("Plain command lines")
struct PlainLineTests {
  @Test(
    "are read without the parser",
    arguments: [
      "get openai-main", "get active.assistant", "get a -e staging", "get -q --store x a", "env", "env --json",
      "env --format dotenv", "env --target web --environment=staging", "run", "run -- true", "run -- env -- --json",
      "run --target web -e staging -- npm start -q", "plan", "plan --detailed-exitcode --json",
      "plan -e staging --out p.kp",
      "plan --format github --no-input", "plan --verify --all", "apply", "apply -y", "apply --yes --json -v", "drift",
      "drift --quiet --fail-on broken", "drift --unreachable-after 2h --baseline known.json",
      "drift --verify --format sarif",
      "validate", "validate -f other.yaml --format=junit", "validate --lock-timeout 0s --color never --identity id.txt",
    ])
  func plain(line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let plain = try #require(Keyplan.plain(words[0], Array(words.dropFirst())))
    #expect(Self.text(plain) == Self.text(try Self.parsed(words)))
  }

  @Test(
    "that are unusual or wrong are left to the parser",
    arguments: [
      "get", "get a b", "get --reveal", "get --", "get a --", "get a --environment", "get a --environment -q", "env a",
      "env --format", "env --format xml", "env --only a", "run true", "run true -- false", "run --only a -- b",
      "plan a",
      "plan --", "plan -qv", "plan -e=staging", "plan -e", "plan --json=1", "plan --only key.a", "plan --valid-for 2h",
      "apply plan.kp", "apply --yes=no", "apply --expect kp1", "drift --fail-on none", "drift --ignore key.a",
      "drift --until 2030-01-01", "validate --all-environments", "validate --lock-timeout soon", "validate --width 80",
      "plan -e a -e b", "fmt", "help", "plan --help", "plan -h", "plan --version", "-- plan",
    ])
  func unusual(line: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(Keyplan.plain(words[0], Array(words.dropFirst())) == nil)
  }

  @Test("with any words are commands with the same options as the parser's, or left to it")
  func random() throws {
    var random = Seeded(seed: 1)
    let words = [
      "a", "active.b", "", "x y", "-", "--", "--json", "--all", "-q", "--quiet", "-v", "--verbose", "--no-input", "-y",
      "--yes",
      "-e", "staging", "--environment", "--environment=", "--environment=p", "-f", "--manifest", "m.yaml",
      "--manifest=a=b",
      "--store", "--identity", "--lock-timeout", "30s", "0", "--color", "never", "--width", "80", "-1", "--format",
      "json",
      "github", "dotenv", "--format=shell", "--target", "--target=web", "--only", "--reveal", "--verify", "--out",
      "p.kp",
      "--detailed-exitcode", "--fail-on", "broken", "soon", "--baseline", "--unreachable-after", "2h", "--ignore",
      "key.a",
      "--write-baseline", "--until", "2030-01-01", "--allow-forget", "--expect", "--events", "--help", "-h", "-qv",
      "-e=x",
      "--quiet=1", "--Quiet", "--env", "-\u{301}e", "\u{AD}--json",
    ]
    var plain: [String: Int] = [:]
    for _ in 0..<6_000 {
      let name = random.pick(["get", "env", "run", "plan", "apply", "drift", "validate"])
      let line = [name] + (0..<random.below(5)).map { _ in random.pick(words) }
      guard let command = Keyplan.plain(name, Array(line.dropFirst())) else { continue }
      plain[name, default: 0] += 1
      // An error here is a line that the parser refuses.
      let parsed = try Self.parsed(line)
      #expect(Self.text(command) == Self.text(parsed), "\(line)")
    }
    #expect(plain.count == 7 && plain.values.allSatisfy { $0 > 50 }, "\(plain)")
  }

  private static func parsed(_ words: [String]) throws -> any ParsableCommand {
    try #require(try Keyplan.command(named: words[0])?.parseAsRoot(Array(words.dropFirst())))
  }

  /// All that is in a value, each property of its properties too.
  private static func text(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }
}
