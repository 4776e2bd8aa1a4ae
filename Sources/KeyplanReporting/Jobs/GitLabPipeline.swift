/// The pipeline for GitLab: its jobs are those of keyplan's component. It is that of `examples/gitops`.
struct GitLabPipeline {
  let file: JobFile

  private var project: JobProject { file.project }

  var text: String {
    """
    # Plans keys on merge requests; on main plans again, and applies exactly that
    # plan when somebody says so; checks for drift by a schedule. Printed by:
    # keyplan ci gitlab
    #
    # What jobs get is set outside of the checkout, which a merge request changes:
    # Settings > CI/CD > Variables. Explained in: docs/pull-requests.md of keyplan
    \(project.environmentComment ?? "")\(file.comments(kinds))
    workflow:
      rules:
        - if: $CI_PIPELINE_SOURCE == "merge_request_event"
        - if: $CI_PIPELINE_SOURCE == "schedule"
        - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

    stages: [check, plan, apply]

    \(variables)include:
      # From a mirror of keyplan on your GitLab. `sha256`, the checksum of the
      # archive that you reviewed, makes it certain which program runs.
      - component: $CI_SERVER_FQDN/\(Release.repository)/pipeline@\(file.version)
        inputs:
          version: \(file.version)\(deployment)

    """
  }

  private var kinds: [(JobSetting.Kind, String)] {
    [
      (.secret, "Masked, for all environments:"),
      (.deploymentSecret, "Masked and protected, for the environment \(project.deployment) only:"),
      (.variable, "Not secret:"),
    ]
  }

  private var variables: String {
    let fixed = file.settings.filter { $0.kind == .fixed }
    guard !fixed.isEmpty else { return "" }
    return "variables:\n" + fixed.map { "  \($0.name): \(Self.value($0.value ?? ""))\n" }.joined() + "\n"
  }

  /// GitLab expands `$NAME` in a value unless `expand` is false.
  private static func value(_ text: String) -> String {
    let quoted = YAMLScalar.quoted(text)
    return text.contains("$") ? "{ value: \(quoted), expand: false }" : quoted
  }

  private var deployment: String {
    project.environment == nil ? "" : "\n      environment: \(YAMLScalar.quoted(project.deployment))"
  }
}
