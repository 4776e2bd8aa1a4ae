package import KeyplanModel

/// The CI service in which the process runs.
package enum CIService: Sendable {
  case github, gitlab
  /// One of the others, of which keyplan knows less.
  case other

  /// The name of the service; nil for others.
  package var name: String? {
    switch self {
    case .github: "GitHub Actions"
    case .gitlab: "GitLab CI/CD"
    case .other: nil
    }
  }
}

extension World {
  /// The CI service in which this runs; nil outside of CI.
  package var ciService: CIService? {
    if isSet("GITHUB_ACTIONS") { return .github }
    if isSet("GITLAB_CI") { return .gitlab }
    let others = ["CI", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL", "BUILDKITE", "CIRCLECI"]
    return others.contains(where: isSet) ? .other : nil
  }

  /// Whether this runs in a CI service.
  package var isCI: Bool { ciService != nil }

  /// Whether the job runs for a pull request, as far as the service says so.
  package var isPullRequest: Bool {
    switch ciService {
    case .github: variable("GITHUB_EVENT_NAME")?.hasPrefix("pull_request") == true
    case .gitlab: variable("CI_PIPELINE_SOURCE") == "merge_request_event"
    case .other, nil: false
    }
  }

  private func isSet(_ name: String) -> Bool { variable(name).map { $0 != "false" && $0 != "0" } ?? false }

  /// The URL of the current CI job, if the service provides one. Shown with a lock's holder.
  package var job: String? {
    if let run = githubRun { return run }
    // GitLab, Jenkins, Buildkite, CircleCI.
    let names = ["CI_JOB_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL"]
    return names.lazy.compactMap { variable($0) }.first
  }

  private var githubRun: String? {
    guard let server = variable("GITHUB_SERVER_URL"), let repository = variable("GITHUB_REPOSITORY"),
      let run = variable("GITHUB_RUN_ID")
    else { return nil }
    return "\(server)/\(repository)/actions/runs/\(run)"
  }

  /// The service's words about the current job, for the records; nil outside of CI. Only these variables are read, since any other one can
  /// contain a secret.
  package var jobFacts: JobFacts? {
    switch ciService {
    case nil: nil
    case .github:
      JobFacts(
        service: "GitHub", actor: variable("GITHUB_ACTOR"), workflow: variable("GITHUB_WORKFLOW"),
        commit: variable("GITHUB_SHA"), url: githubRun)
    case .gitlab:
      JobFacts(
        service: "GitLab", actor: variable("GITLAB_USER_LOGIN"), workflow: variable("CI_JOB_NAME"),
        commit: variable("CI_COMMIT_SHA"), url: variable("CI_PIPELINE_URL"))
    case .other: JobFacts(service: "CI", actor: nil, workflow: nil, commit: nil, url: job)
    }
  }
}
