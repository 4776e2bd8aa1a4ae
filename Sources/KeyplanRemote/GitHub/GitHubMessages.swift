/// The reasons that the GitHub backend gives for failures, as sentences. None contains a value or text of an answer.
enum GitHubMessages {
  static let repository = "The repository must be written as OWNER/NAME."
  static let oneOwner = "The target needs either a repository or an organization."
  static let environmentKind = "Environments have secrets for Actions only."
  static let environmentOwner = "An environment needs a repository."

  static let tokenAndApp = "The connection has both a token and a GitHub App."
  static let incompleteApp = "Signing in as a GitHub App needs appId, privateKey and installation."
  static let privateKey = "The private key is not an RSA key in PEM form with at least 2048 bits."
  static let noToken = "There is no token for GitHub."
  static func noTokenHint(_ variable: String) -> String { "Set \(variable), or declare a connection with a token." }
  static let workflowToken = "GITHUB_TOKEN is the token of the workflow, which GitHub does not allow to access secrets."
  static let workflowTokenHint =
    "The GITHUB_TOKEN of a workflow cannot have this right. Use a GitHub App or a personal access token."
  static let integrationHint =
    "Give the GitHub App this permission. The GITHUB_TOKEN of a workflow cannot have it: use a GitHub App or a personal "
    + "access token."
  static func installation(_ scope: GitHubScope) -> String {
    "GitHub issues no token with the permission \(scope.permission) to this installation of the GitHub App."
  }
  static let installationHint =
    "Check the number of the installation, that the repository is part of it, and the permissions of the GitHub App."

  static let notFound = "Not found: it does not exist, or the token is not allowed to see it (HTTP 404)."
  static let archived = "The repository is archived, and thereby read-only (HTTP 403)."
  static let archivedHint = "Unarchive it in its settings, or remove the target."
  static func rejected(_ fault: String) -> String { "GitHub does not accept the request: \(fault) (HTTP 422)." }
  static let moved = "The repository was renamed or transferred (HTTP 301)."
  static let movedHint = "Write its new name at the target."
  static let signOn = "The token is not authorized for the organization's single sign-on (HTTP 403)."
  static func signOnHint(_ host: String?) -> String {
    "Authorize the token for the organization" + (host.map { " at https://\($0)/settings/tokens." } ?? ".")
  }

  /// The permissions that the token needs at a scope.
  static func rights(_ scope: GitHubScope) -> String {
    let permission =
      switch (scope.owner, scope.kind) {
      case (.environment, _): "\"Environments\""
      case (_, .actions): "\"Secrets\""
      case (_, .dependabot): "\"Dependabot secrets\""
      case (_, .codespaces): "\"Codespaces secrets\""
      }
    let level = scope.isOrganization ? "organization" : "repository"
    let classic = scope.isOrganization ? "admin:org" : "repo"
    return "The token needs the \(level) permission \(permission) (write), or the scope \(classic)."
  }
}
