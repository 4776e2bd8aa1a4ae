internal import KeyplanModel

/// The steps that a person takes once before the first job runs, for standard error.
package enum JobAdvice {
  package static func render(_ file: JobFile, style: Style) -> String {
    var page = Page(style: style)
    let project = file.project
    page.put("Before the first job", .strong)
    page.put(", on a machine that can apply. Written to standard output:")
    page.end()
    page.put("  \(file.path)")
    page.end()
    if let name = project.environmentName {
      page.put("For the environment \(name)", .strong)
      page.put(". Each environment has a file of its own: keyplan ci \(file.service.rawValue) -e NAME")
      page.end()
    }
    for (index, part) in parts(file).enumerated() {
      page.end()
      page.put("\(index + 1). ")
      page.prose(part.text, indent: 3)
      page.end()
      for line in part.lines {
        page.put("     \(line)", .choose)
        page.end()
      }
    }
    if case .none = project.store {
      page.end()
      page.prose("The project has no store yet, so its address and the pin are missing: keyplan init", indent: 0)
      page.end()
    }
    return page.text
  }

  private struct Part {
    let text: String
    var lines: [String] = []
  }

  private static func parts(_ file: JobFile) -> [Part] {
    let project = file.project
    switch file.service {
    case .cron:
      return [identities(project, hasWriter: false), secretsOfUnit(project), install(file)].compactMap(\.self)
    case .github:
      return [identities(project, hasWriter: true), runner(project), github(file), check].compactMap(\.self)
    case .gitlab:
      return [identities(project, hasWriter: true), runner(project), gitlab(file), check].compactMap(\.self)
    }
  }

  /// Early, since a personal identity is at hand and opens everything.
  private static func identities(_ project: JobProject, hasWriter: Bool) -> Part? {
    let readers = project.planners.isEmpty
    let writers = hasWriter && project.openers.count < 2
    guard readers || writers else {
      let names = (project.planners + (hasWriter ? project.openers : [])).joined(separator: ", ")
      return Part(
        text:
          "Jobs get identities of their own, never yours. These recipients are declared: \(names). Whoever can change a "
          + "pull request's branch has what its job has, so its recipient must be one with `can: plan`.")
    }
    var lines: [String] = []
    if readers { lines.append("keyplan identity new --identity ~/planning.txt") }
    if writers { lines.append("keyplan identity new --identity ~/ci.txt") }
    lines.append("# in \(project.manifest), beside those that are there; then: keyplan apply\(project.options)")
    lines.append("recipients:")
    if project.openers.isEmpty { lines.append("  you: age1…                                 # keyplan identity show") }
    if readers { lines.append("  pull-requests: { key: age1…, can: plan }   # … --identity ~/planning.txt") }
    if writers { lines.append("  ci: age1…                                  # … --identity ~/ci.txt") }
    return Part(
      text:
        "Make identities for CI alone. Yours must not become a secret of CI: whoever can change a workflow has what its "
        + "jobs have.", lines: lines)
  }

  private static func runner(_ project: JobProject) -> Part? {
    guard case .file(let path) = project.store else { return nil }
    return Part(
      text:
        "The store is the file \(path). So jobs need a runner of your own that has it, outside of the checkout. For hosted "
        + "runners, which forget their disk, move it to a server first.",
      lines: ["keyplan store move --to 'postgres://…'\(project.options)"])
  }

  private static func github(_ file: JobFile) -> Part {
    let project = file.project
    let name = project.deployment
    var lines: [String] = []
    for setting in file.settings where setting.kind != .fixed {
      let place = setting.kind == .deploymentSecret ? "--env \(name) " : ""
      if setting.kind == .variable {
        let value = setting.value.map { " --body \(ShellWord.quoted($0))" } ?? ""
        lines.append("gh variable set \(setting.name)\(value)")
      } else if setting.name.hasPrefix("KEYPLAN_IDENTITY") {
        let from = setting.kind == .secret ? "planning" : "ci"
        lines.append("grep ^AGE ~/\(from).txt | gh secret set \(place)\(setting.name)")
      } else {
        lines.append("gh secret set \(place)\(setting.name)" + (setting.value.map { "   # \($0)" } ?? ""))
      }
    }
    return Part(
      text:
        "Set the secrets and variables. Restrict the environment \(name) to the branch main. Addresses need a user and a "
        + "password; keep a copy of ~/ci.txt in a safe place, and remove both files from this machine.", lines: lines)
  }

  private static func gitlab(_ file: JobFile) -> Part {
    let lines = file.settings.filter { $0.kind != .fixed }.map { setting in
      let place = setting.kind == .deploymentSecret ? ", environment \(file.project.deployment), protected" : ""
      let mask = setting.kind == .variable ? "" : ", masked"
      return "\(setting.name)\(mask)\(place)" + (setting.value.map { "   \($0)" } ?? "")
    }
    return Part(
      text:
        "Set the variables (Settings > CI/CD > Variables), and a pipeline schedule on the default branch (Build > Pipeline "
        + "schedules). Addresses need a user and a password; keep a copy of ~/ci.txt in a safe place, and remove both files "
        + "from this machine.", lines: lines)
  }

  private static let check = Part(
    text: "Check the settings where they count: as a step of a job, with the same variables.",
    lines: ["keyplan ci --check"])

  private static func secretsOfUnit(_ project: JobProject) -> Part? {
    let isServer = if case .file = project.store { false } else { true }
    guard isServer || !project.variables.isEmpty else { return nil }
    return Part(
      text: "As root, write the variables that the unit gets from a file.",
      lines: [
        "install -D -m 600 /dev/null /etc/keyplan/\(project.slug).env", "editor /etc/keyplan/\(project.slug).env",
      ])
  }

  private static func install(_ file: JobFile) -> Part {
    let name = "\(file.project.slug)-drift"
    let options = file.project.options
    return Part(
      text: "As root, install the unit and its timer.",
      lines: [
        "keyplan ci cron\(options) > /etc/systemd/system/\(name).service",
        "keyplan ci cron\(options) --timer > /etc/systemd/system/\(name).timer",
        "systemctl daemon-reload && systemctl enable --now \(name).timer",
      ])
  }
}
