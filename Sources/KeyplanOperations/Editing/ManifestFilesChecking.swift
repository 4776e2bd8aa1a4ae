package import KeyplanManifest
internal import KeyplanModel
package import KeyplanPlanning
package import KeyplanReporting

extension ManifestFiles {
  /// Validates the edited files.
  /// - Throws: `RejectedEdit`, if nothing may be written.
  package func check(_ environments: [Environment]) throws(RejectedEdit) {
    for environment in environments {
      let faults = environment.faults
      guard !faults.isEmpty else { continue }
      let wasBroken = environment.before.manifest == nil
      let reported = wasBroken ? environment.before.diagnostics.filter { $0.code.severity == .error } : faults
      let lines = environment.lines(isAfter: !wasBroken, reader)
      let file = base.shown + (environment.name.map { ", in the environment \($0)," } ?? "")
      guard !wasBroken else {
        throw RejectedEdit(
          diagnostics: reported, lines: lines,
          failure: Failure(
            .failed, "Not edited", "\(file) has errors; fix them before editing.",
            hint: "Fix them, then: keyplan validate" + (environment.name.map { " -e \($0)" } ?? "")))
      }
      let hasSecret = reported.contains { $0.code == .secretInManifest || $0.code == .invalidReference }
      throw RejectedEdit(
        diagnostics: reported, lines: lines,
        failure: Failure(
          reported.allSatisfy(\.code.isGuard) ? .refused : .failed, "Not edited",
          "With this edit \(file) would have the errors above. Nothing was written.",
          hint: hasSecret
            ? "If you typed a value, it is now in the process list and in the shell's history: replace it."
            : nil))
    }
  }

  /// The difference of each file.
  package func difference(_ environments: [Environment], style: Style) -> String {
    var text = ""
    for file in changed {
      guard let environment = environments.first(where: { $0.name == file.environment }) ?? environments.first
      else { continue }
      let before = environment.lines(isAfter: false, reader)
      let after = environment.lines(isAfter: true, reader)
      text += DiffText.render(file.before, file.after, of: file.shown, style: style) { isAfter, line in
        (isAfter ? after : before)[FileLocation(file: file.shown, line: line + 1, column: 1)]
      }
    }
    return text
  }
}

/// An edit that would leave the manifest with errors.
package struct RejectedEdit: Error {
  package let diagnostics: [Diagnostic]
  /// The masked source lines of the diagnostics.
  package let lines: RedactedLines
  package let failure: Failure
}
