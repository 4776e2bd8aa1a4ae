import KeyplanModel

extension PassSource {
  static let sources: [CitedDocument] = [
    CitedDocument("pass 1.7.4 (Debian), which judges it: /usr/bin/pass", of: [.request, .answer, .names]),
    CitedDocument("gopasspw/gopass docs/secrets.md at f4f2d9a, 2026-08-21", of: [.answer]),
    CitedDocument("gnupg 2.2.40 (Debian), which judges it: doc/DETAILS", of: [.request, .answer, .outcome]),
  ]
}
