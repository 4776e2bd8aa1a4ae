extension World {
  /// The URL of the current CI job, if the service provides one. Shown with a lock's holder.
  package var job: String? {
    if let server = variable("GITHUB_SERVER_URL"), let repository = variable("GITHUB_REPOSITORY"),
      let run = variable("GITHUB_RUN_ID")
    {
      return "\(server)/\(repository)/actions/runs/\(run)"
    }
    // GitLab, Jenkins, Buildkite, CircleCI.
    let names = ["CI_JOB_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL"]
    return names.lazy.compactMap { variable($0) }.first
  }
}
