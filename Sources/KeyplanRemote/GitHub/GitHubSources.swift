import KeyplanModel

extension GitHubBackend {
  static let sources: [CitedDocument] = [
    CitedDocument(
      "githubkit-schemas-2022-11-28 26.10.21 (PyPI): ActionsPublicKey, OrgsOrgActionsSecretsSecretNamePutBody and others",
      of: [.request, .answer]),
    CitedDocument("gh 2.102, which judges the fake", of: [.request, .answer]),
    CitedDocument(
      "github/docs content/actions/reference/security/secrets.md at 16e1b80", of: [.limits, .effect]),
    CitedDocument(
      "github/docs data/reusables/actions/actions-secrets-and-variables-naming.md at 24462ae", of: [.names]),
    CitedDocument(
      "github/docs content/rest/using-the-rest-api/rate-limits-for-the-rest-api.md at 21143d5", of: [.outcome, .pace]),
    CitedDocument(
      "github/docs content/rest/using-the-rest-api/best-practices-for-using-the-rest-api.md at 058fa63",
      of: [.outcome, .pace]),
    CitedDocument(
      "github/docs content/rest/using-the-rest-api/troubleshooting-the-rest-api.md at 0952a21",
      of: [.request, .outcome, .rights]),
    CitedDocument(
      "github/docs content/rest/about-the-rest-api/api-versions.md at 58a26b8", of: [.request]),
    CitedDocument(
      "docs.github.com/en/rest/authentication/authenticating-to-the-rest-api, at github/docs 4234fd8, 2024-03-08",
      of: [.outcome]),
    CitedDocument("docs.github.com/en/rest/actions/secrets, read 2026-11-29", of: [.rights]),
  ]
}
