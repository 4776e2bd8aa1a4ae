extension AccountFacts.Service {
  /// The documents that the service's endpoints, requests and answers come from.
  package var sources: [CitedDocument] {
    switch self {
    case .google:
      Self.oauth + [
        CitedDocument(
          "google-auth 2.62.2 and google-auth-oauthlib 1.5.0 (PyPI)", of: [.request, .answer, .outcome]),
        CitedDocument(
          "google-api-python-client 2.202.0 (PyPI), which judges the fake: calendar.v3.json, 2026-10-30",
          of: [.request, .answer, .rights]),
        CitedDocument(
          "developers.google.com/identity/protocols/oauth2/native-app, read 2026-11-22",
          of: [.request, .answer, .outcome]),
        CitedDocument(
          "developers.google.com/identity/protocols/oauth2/resources/loopback-migration, read 2026-11-22",
          of: [.request]),
        CitedDocument(
          "developers.google.com/workspace/calendar/api/guides/errors, read 2026-11-22", of: [.outcome]),
      ]
    case .outlook:
      Self.oauth + [
        CitedDocument("msal 1.39.0 (PyPI): authority.py, oauth2cli", of: [.request, .answer]),
        CitedDocument(
          "msgraph-sdk 1.65.0 (PyPI), which judges the fake", of: [.request, .answer, .outcome]),
        CitedDocument(
          "learn.microsoft.com/entra/identity-platform/refresh-tokens, read 2026-11-22", of: [.answer, .outcome]),
      ]
    case .caldav:
      [
        CitedDocument("RFC 4791, 6578 and 6764 (CalDAV)", of: [.request, .answer, .outcome]),
        CitedDocument("RFC 5545 (iCalendar)", of: [.answer]),
        CitedDocument("Radicale 3.9.0 (PyPI), a server that judges it", of: [.request, .answer, .outcome]),
      ]
    }
  }

  private static let oauth = [
    CitedDocument("RFC 6749, 7009, 7523, 7636, 8628 and 9207 (OAuth)", of: [.request, .answer, .outcome]),
    CitedDocument(
      "django-oauth-toolkit 3.4.1 and oidc-provider-mock 0.3.4 (PyPI), servers that judge it",
      of: [.request, .answer, .outcome]),
  ]
}
