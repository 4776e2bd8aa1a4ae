import KeyplanModel
import KeyplanServices

/// A place for secrets: a repository, an environment of it, or an organization; each for one of its services. Each has its own
/// public key.
struct GitHubScope: Hashable, Sendable {
  enum Kind: String, CaseIterable { case actions, dependabot, codespaces }

  enum Owner: Hashable {
    case repository(owner: String, name: String)
    case environment(String, owner: String, name: String)
    case organization(String)
  }

  let owner: Owner
  let kind: Kind

  static let repositoryPattern = try? FormatPattern("[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}")
  static let ownerPattern = try? FormatPattern("[A-Za-z0-9_-]{1,100}")

  /// - Throws: the error in the fields of a target.
  init(_ fields: [String: String]) throws(RemoteFailure) {
    kind = fields["kind"].flatMap { Kind(rawValue: $0) } ?? .actions
    let environment = fields["environment"]
    switch (fields["repository"], fields["organization"]) {
    case (let repository?, nil):
      let parts = repository.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw RemoteFailure(.unreadable, GitHubMessages.repository) }
      guard let environment else {
        owner = .repository(owner: parts[0], name: parts[1])
        return
      }
      guard kind == .actions else { throw RemoteFailure(.unreadable, GitHubMessages.environmentKind) }
      owner = .environment(environment, owner: parts[0], name: parts[1])
    case (nil, let organization?):
      guard environment == nil else { throw RemoteFailure(.unreadable, GitHubMessages.environmentOwner) }
      owner = .organization(organization)
    default: throw RemoteFailure(.unreadable, GitHubMessages.oneOwner)
    }
  }

  /// The path of the repository or the organization.
  var home: [String] {
    switch owner {
    case .repository(let owner, let name), .environment(_, let owner, let name): ["repos", owner, name]
    case .organization(let name): ["orgs", name]
    }
  }

  /// The path of the secrets.
  var secrets: [String] {
    switch owner {
    case .repository, .organization: home + [kind.rawValue, "secrets"]
    case .environment(let name, _, _): home + ["environments", name, "secrets"]
    }
  }

  /// The repository's name without its owner; nil for an organization.
  var repository: String? {
    switch owner {
    case .repository(_, let name), .environment(_, _, let name): name
    case .organization: nil
    }
  }

  var isOrganization: Bool { repository == nil }

  /// The permission that a GitHub App or a fine-grained token needs, as GitHub's API writes it.
  var permission: String {
    let own =
      switch kind {
      case .actions: "secrets"
      case .dependabot: "dependabot_secrets"
      case .codespaces: "codespaces_secrets"
      }
    return switch owner {
    case .repository: own
    case .environment: "environments"
    case .organization: "organization_" + own
    }
  }
}
