import KeyplanModel

extension SecretServiceSource {
  static let sources: [CitedDocument] = [
    CitedDocument(
      "Secret Service API Draft 0.2 (specifications.freedesktop.org), 2025-01-26", of: [.request, .answer, .outcome]),
    CitedDocument("gnome-keyring 42.1 (Debian), which judges it", of: [.request, .answer, .outcome, .effect]),
    CitedDocument("secret-tool 0.20.5 (Debian), which judges it", of: [.request, .names]),
    CitedDocument("keyring 25.7.0 and SecretStorage 3.5.0 (PyPI), which judge it", of: [.request, .answer, .names]),
  ]
}
