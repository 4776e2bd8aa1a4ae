internal import KeyplanModel
package import KeyplanPlanning

/// Annotations for GitHub Actions: workflow commands, escaped as actions/toolkit does it (`packages/core/src/command.ts`).
package enum GitHubText {
  /// One for each diagnostic, on the line of the manifest that it is about.
  /// - Parameters:
  ///   - environments: the names of those that they are about; nil for all.
  ///   - path: a file's path in the repository, for the name that a place has.
  package static func annotations(
    _ diagnostics: [Diagnostic], in environments: String? = nil, path: (String) -> String = { $0 }
  ) -> String {
    let suffix = environments.map { " (\($0))" } ?? ""
    let (groups, left) = DiagnosticGroup.grouped(diagnostics.sorted(), showsAll: false)
    return groups.reduce(into: "") { text, group in
      let diagnostic = group.first
      var properties: [(String, String)] = []
      if let place = diagnostic.place { properties += location(place, path) }
      properties.append(("title", diagnostic.summary + suffix))
      let words = [group.detail, group.also.map { "also: \($0)" }, group.hint.map { "hint: \($0)" }]
        .compactMap(\.self).joined(separator: "\n")
      text += command(diagnostic.code.severity.rawValue, properties, words)
    }
      + left.map { command($0.code.severity.rawValue, [("title", $0.code.summary + suffix)], $0.words) }.joined()
  }

  private static func location(_ place: FileLocation, _ path: (String) -> String) -> [(String, String)] {
    [
      ("file", path(place.file)), ("line", "\(place.line)"), ("col", "\(place.column)"),
      ("endColumn", "\(place.column + place.width)"),
    ]
  }

  /// One for each finding, on the line of the declaration that it is about.
  /// - Parameter declared: nil for no lines.
  package static func annotations(
    _ findings: [Finding], declared: DeclaredPlaces? = nil, path: (String) -> String = { $0 }
  ) -> String {
    FindingGroup.grouped(findings.sorted(), showsAll: false).reduce(into: "") { text, group in
      let place = declared.map { location($0.place(of: group.first.address), path) } ?? []
      let words = FindingMessages(group)
      let fix = [words.command, words.fix].compactMap(\.self).joined(separator: " ")
      text += command(
        group.first.level.command, place + [("title", group.subject)],
        ([words.headline, group.list, words.consequence].compactMap { $0 }
          + ["hint: \(fix)"] + (words.alternative.map { ["or: \($0.command) \($0.fix)"] } ?? []))
          .joined(separator: "\n"))
    }
  }

  /// `::warning file=a.yaml,line=2::Words`, with its line feed.
  package static func command(_ name: String, _ properties: [(String, String)], _ words: String) -> String {
    let list = properties.map { "\($0)=\(escaped($1, alsoIn: [":", ","]))" }.joined(separator: ",")
    return "::\(name)\(list.isEmpty ? "" : " " + list)::\(escaped(words))\n"
  }

  /// Percent signs and line breaks would end or forge a command; in properties, so would colons and commas.
  private static func escaped(_ text: String, alsoIn others: Set<Unicode.Scalar> = []) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar == "%" || scalar == "\r" || scalar == "\n" || others.contains(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
      } else if Glyphs.isUnsafe(scalar) {
        result += Glyphs.escaped(scalar)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Finding.Level {
  fileprivate var command: String {
    switch self {
    case .broken: "error"
    case .pending: "warning"
    case .soon: "notice"
    }
  }
}
