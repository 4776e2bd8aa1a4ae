import KeyplanModel

extension OnePasswordSource {
  static let sources: [CitedDocument] = [
    CitedDocument(
      "developer.1password.com/docs/cli/secret-reference-syntax and secrets-reference-syntax, read 2026-11-29",
      of: [.request, .names]),
    CitedDocument("github.com/kawaz/cache-warden, recorded answers of op 2.34.1, 2026-06-14", of: [.answer, .outcome]),
  ]
}
