import Foundation
import TestTools
import Testing

/// The fake of providers is judged by the vendors' own clients: each reads every answer of its provider.
@Suite struct CheckJudgeTests {
  private static let python = ProcessInfo.processInfo.environment["KEYPLAN_TEST_JUDGES"]

  /// A provider, and the package with its client.
  private static let clients: [(provider: String, package: String)] = [
    ("openai", "openai"), ("anthropic", "anthropic"), ("groq", "groq"), ("mistral", "mistralai"), ("stripe", "stripe"),
    ("gemini", "google-genai"), ("google", "google-genai"), ("azure-openai", "openai"), ("cohere", "cohere"),
    ("dashscope", "dashscope"), ("qwen", "dashscope"), ("deepgram", "deepgram-sdk"), ("elevenlabs", "elevenlabs"),
    ("github", "githubkit"), ("huggingface", "huggingface_hub"), ("openrouter", "openrouter"),
    ("perplexity", "perplexityai"), ("polygon", "massive"), ("replicate", "replicate"), ("together", "together"),
  ]

  @Test(
    "the vendor's own client sends the documented request, and reads each answer as its status says",
    .enabled(
      if: Judge.areInstalled(clients.map(\.package), in: python),
      "run scripts/setup-judges.sh, and set KEYPLAN_TEST_JUDGES=$PWD/.build-judges/bin/python"),
    arguments: clients.map(\.provider))
  func judged(provider: String) throws {
    let fake = try FakeProviders.shared.get()
    let script = FakeProviders.fixtures.appending(path: "Judges/judge_checks.py").path
    let answer = try Child.answer([try #require(Self.python), script, fake.root, provider], errors: true)
    let read = Int(answer.text.split(separator: "\n").last ?? "") ?? 0
    #expect(answer.status == 0 && read >= 3, "\(answer.text)")
  }
}
