import KeyplanModel

extension KubernetesBackend {
  static let sources: [CitedDocument] = [
    CitedDocument(
      "kubernetes/api at 10b39a3, 2026-07-24: core/v1/types.go (Secret), authentication/v1/types.go",
      of: [.request, .answer, .outcome, .limits]),
    CitedDocument(
      "kubernetes/apimachinery at eed236c, 2026-07-23: pkg/apis/meta/v1/types.go (Status and its reasons)",
      of: [.request, .answer, .outcome]),
    CitedDocument(
      "kubernetes/apimachinery at eed236c, 2026-07-23: pkg/util/validation/validation.go (IsConfigMapKey)",
      of: [.names]),
    CitedDocument(
      "kubernetes/apimachinery at eed236c, 2026-07-23: pkg/util/managedfields/internal/conflict.go", of: [.outcome]),
    CitedDocument(
      "kubernetes/website content/en/docs/reference/using-api/server-side-apply.md at 0637786",
      of: [.request, .answer, .outcome]),
    CitedDocument(
      "kubernetes/client-go at 32ce75a, 2026-07-24: tools/clientcmd/api/v1, rest/exec.go, clientauthentication/v1",
      of: [.request, .answer]),
    CitedDocument(
      "kubernetes/website content/en/docs/concepts/configuration/secret.md at 7dae226", of: [.limits, .effect]),
  ]
}
