/// The file for a service: a workflow, a pipeline, or a unit.
package struct JobFile: Sendable {
  package let service: JobService
  package let project: JobProject
  /// The version of keyplan that jobs install, which is the one that prints the file.
  package let version: String

  package init(_ service: JobService, _ project: JobProject, version: String) {
    (self.service, self.project, self.version) = (service, project, version)
  }

  /// The place of the file.
  package var path: String {
    switch service {
    case .github: project.workflow
    case .gitlab: ".gitlab-ci.yml"
    case .cron: "/etc/systemd/system/\(project.slug)-drift.service"
    }
  }

  package var settings: [JobSetting] { project.settings(service) }

  package var text: String {
    switch service {
    case .github: GitHubWorkflow(file: self).text
    case .gitlab: GitLabPipeline(file: self).text
    case .cron: DriftUnit(file: self).service
    }
  }

  /// The timer that starts the unit.
  package var timer: String { DriftUnit(file: self).timer }
}

extension JobFile {
  /// The columns of a comment after its mark.
  private static let width = 78

  /// The settings as comments, a line or two for each.
  func comments(_ kinds: [(JobSetting.Kind, String)]) -> String {
    var lines: [String] = []
    for (kind, title) in kinds {
      let chosen = settings.filter { $0.kind == kind }
      guard !chosen.isEmpty else { continue }
      lines += ["", title]
      for setting in chosen {
        let name =
          setting.name.utf8.count < 26
          ? setting.name + String(repeating: " ", count: 26 - setting.name.utf8.count) : setting.name + "  "
        let line = "  \(name)\(setting.purpose)"
        lines += line.utf8.count <= Self.width ? [line] : ["  \(setting.name)", "    \(setting.purpose)"]
        if let value = setting.value, kind != .fixed { lines.append("    \(value)") }
      }
    }
    // A comment ends with its line, whatever a value contains.
    return lines.map { "# \(Glyphs.visible($0))".trimmed + "\n" }.joined()
  }
}

extension String {
  fileprivate var trimmed: Substring { self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)] }
}

/// A scalar of YAML.
enum YAMLScalar {
  /// The same where GitHub replaces expressions: `${{` becomes an expression with that text as its value.
  static func withoutExpressions(_ text: String) -> String { quoted(text.replacing("${{", with: "${{ '${{' }}")) }

  /// The text as it is if that is plain beyond doubt; otherwise in double quotes.
  static func quoted(_ text: String) -> String {
    let isPlain =
      text.utf8.first.map { (0x61...0x7a).contains($0) || (0x41...0x5a).contains($0) || $0 == 0x2e || $0 == 0x2f }
      == true
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "-._/*".utf8.contains(byte)
        }
      }
      // Numbers such as .5 and .inf.
      && !(text.first == "." && !text.contains("/"))
      && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"].contains(text.lowercased())
    if isPlain { return text }
    return "\""
      + text.unicodeScalars.reduce(into: "") { result, scalar in
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case _ where scalar.value < 0x20 || Glyphs.isUnsafe(scalar):
          let digits = String(scalar.value, radix: 16)
          result += "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      } + "\""
  }
}
