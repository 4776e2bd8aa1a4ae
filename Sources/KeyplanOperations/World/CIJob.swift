extension World {
  /// Where the CI job that this runs in can be seen, as far as its service says that; for the holder of a lock.
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
