import Foundation
import Testing

/// What Tab offers, asked of the shells themselves with the scripts that the program prints.
@Suite("Completion")
struct CompletionTests {
  /// The last word is the one that is being typed.
  static let cases: [(words: String, offered: [String])] = [
    ("va", ["validate"]), ("keys s", ["set", "show"]), ("plan --det", ["--detailed-exitcode"]),
    ("drift --unr", ["--unreachable-after"]),
    ("env --format ''", ["dotenv", "dotenv-plain", "fish", "github", "json", "powershell", "shell"]),
    ("completions ''", ["bash", "fish", "zsh"]), ("plan --environment ''", ["default", "staging"]),
    ("get --environment staging ope", ["openai-main", "openrouter"]),
    ("get --environment staging active.", ["active.assistant"]), ("keys set --environment staging s", ["stage"]),
    ("plan --environment staging --only key.o", ["key.openai-main", "key.openrouter"]),
    ("keys add k --from d", ["doppler://", "dotenv://"]), ("get --manifest one.yaml wea", ["weather"]),
    ("env --manifest one.yaml --target ''", ["app"]), ("run -- keypla", ["keyplan"]),
    ("run --target app -- cat one.y", ["one.yaml"]),
  ]

  private static func has(_ shell: String) -> Bool { access("/usr/bin/" + shell, X_OK) == 0 }

  @Test("offers the same in bash", arguments: cases)
  func bash(words: String, offered: [String]) throws { try check("complete", words, offered) }

  @Test("offers the same in zsh", .enabled(if: has("zsh"), "needs zsh"), arguments: cases)
  func zsh(words: String, offered: [String]) throws { try check("complete-zsh", words, offered) }

  @Test("offers the same in fish", .enabled(if: has("fish") && has("python3"), "needs fish"), arguments: cases)
  func fish(words: String, offered: [String]) throws { try check("complete-fish", words, offered) }

  private func check(_ tool: String, _ words: String, _ offered: [String]) throws {
    let shell = try Shell()
    try shell.write(
      [
        "version: 1", "keys:", "  openai-main: { provider: openai, source: env://OPENAI_API_KEY }",
        "  openrouter: { provider: openrouter, source: env://OPENROUTER_API_KEY }", "active:",
        "  assistant: [openai-main, openrouter]",
      ], to: "keyplan.yaml")
    try shell.write(["keys: { stage: { provider: generic } }"], to: "keyplan.staging.yaml")
    try shell.write(
      [
        "version: 1", "keys: { weather: { provider: openweathermap } }",
        "targets: { app: { type: dotenv, path: .env, keys: { WEATHER: weather } } }",
      ], to: "one.yaml")
    let answer = try shell.run("\(tool) \(words)")
    #expect(answer.code == 0 && answer.out.sorted() == offered, "\(answer)")
  }
}
