import KeyplanModel

extension CloudKitBackend {
  static let sources: [CitedDocument] = [
    CitedDocument(
      "CloudKit Web Services Reference (developer.apple.com/library/archive), 2016-06-13",
      of: [.request, .answer, .outcome, .limits]),
    CitedDocument(
      "brightdigit/MistKit openapi.yaml at 38f0d77, 2026-04-29", of: [.request, .answer, .outcome]),
    CitedDocument(
      "brightdigit/MistKit Examples/BushelCloud/.claude/s2s-auth-details.md at 38f0d77, 2026-04-29", of: [.rights]),
  ]
}
