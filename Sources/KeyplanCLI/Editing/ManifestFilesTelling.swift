internal import KeyplanCore
internal import KeyplanManifest
internal import KeyplanReporting

extension ManifestFiles {
  /// Holds the edited files to the manifest's rules, and tells what is wrong.
  /// - Throws: `Failure`, when nothing may be written.
  func check(
    _ environments: [Environment], _ options: GlobalOptions, in world: World
  ) throws(Failure) {
    for environment in environments {
      let faults = environment.faults
      guard !faults.isEmpty else { continue }
      let wasBroken = environment.before.manifest == nil
      let told = wasBroken ? environment.before.diagnostics.filter { $0.code.severity == .error } : faults
      let lines = environment.lines(isAfter: !wasBroken, reader)
      world.err.write(
        DiagnosticText.render(told, style: options.style(for: world.err, in: world)) { lines[$0] } + "\n")
      let file = base.shown + (environment.name.map { ", in the environment \($0)," } ?? "")
      guard !wasBroken else {
        throw Failure(
          .failed, "Not edited", "\(file) is not in order as it is.",
          hint: "Mend that first; `keyplan validate` tells when it is done.")
      }
      let hasSecret = told.contains { $0.code == .secretInManifest || $0.code == .invalidReference }
      throw Failure(
        told.allSatisfy(\.code.isGuard) ? .refused : .failed, "Not edited",
        "With this edit \(file) would have the errors above. Nothing was written.",
        hint: hasSecret
          ? "If a value was typed, it is now in the process list and in the shell's history: have it replaced." : nil)
    }
  }

  /// Shows what changes in each file.
  func show(_ environments: [Environment], _ options: GlobalOptions, in world: World) {
    let style = options.style(for: world.out, in: world)
    for file in changed {
      guard let environment = environments.first(where: { $0.name == file.environment }) ?? environments.first
      else { continue }
      let before = environment.lines(isAfter: false, reader)
      let after = environment.lines(isAfter: true, reader)
      world.out.write(
        DiffText.render(file.before, file.after, of: file.shown, style: style) { isAfter, line in
          (isAfter ? after : before)[FileLocation(file: file.shown, line: line + 1, column: 1)]
        })
    }
  }
}
