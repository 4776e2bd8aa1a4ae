package import KeyplanModel
package import KeyplanPorts
package import KeyplanServices

/// Secrets that GitHub gives to workflows, Dependabot and Codespaces. Their values cannot be read back.
package struct GitHubBackend: RemoteBackend {
  private let session: GitHubSession

  package init(_ context: ConnectionContext) { session = GitHubSession(context) }

  package var source: (any SecretSource)? { nil }
  package var target: (any SecretTarget)? { GitHubTarget(session: session) }

  package func signedInAs() async -> SignedInAs { await session.signedInAs() }
  package func signOut() async { await session.signOut() }
}

extension GitHubBackend {
  package static let backend = BackendDescription(
    "github", title: "GitHub secrets",
    help: "Secrets of repositories, environments and organizations, which GitHub does not show.",
    connection: ConnectionGrammar(
      [
        BackendField(
          "address", .url, default: "https://api.github.com",
          help: "The API: https://HOST/api/v3 for GitHub Enterprise Server."),
        BackendField(
          "token", .secret, variables: ["GH_TOKEN", "GITHUB_TOKEN"],
          help: "Where a personal access token is found. For other hosts, the variable is GH_ENTERPRISE_TOKEN."),
        BackendField("appId", pattern: try? FormatPattern("[A-Za-z0-9.]{1,40}"), help: "The id of a GitHub App."),
        BackendField("privateKey", .secret, help: "Where the private key (PEM) of the GitHub App is found."),
        BackendField(
          "installation", .int(1...9_007_199_254_740_991),
          help: "The number of the installation of the GitHub App."),
      ], isOptional: true),
    target: TargetGrammar(
      fields: [
        BackendField(
          "repository", .name, pattern: GitHubScope.repositoryPattern, example: "acme/shop",
          help: "The repository as OWNER/NAME. It has at most 100 secrets, and so has each environment."),
        BackendField("environment", .name, example: "production", help: "An environment of the repository."),
        BackendField(
          "organization", .name, pattern: GitHubScope.ownerPattern, example: "acme",
          help: "The organization, instead of a repository."),
        BackendField(
          "kind", .choice(GitHubScope.Kind.allCases.map(\.rawValue)), example: "dependabot",
          help: "What gets the secrets; without it, actions."),
      ],
      choices: [["repository"], ["organization"]], names: names, limits: .init(valueBytes: 48 << 10, names: 1000),
      readsBack: .marks),
    pace: Pace(concurrency: 1))

  static let names: NameRule = {
    guard let pattern = try? FormatPattern("[A-Za-z_][A-Za-z0-9_]{0,254}") else { return .variable }
    return NameRule(.pattern(pattern), reserved: ["GITHUB_"], longest: 255, foldsCase: true)
  }()
}
