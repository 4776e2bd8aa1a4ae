internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanManifest

/// What all verbs that edit the manifest take, and how they end.
struct EditOptions: ParsableArguments {
  @Flag(help: "Show the difference, and write nothing.")
  var dryRun = false

  /// Reads what is to be edited.
  func files(_ options: GlobalOptions, in world: World) throws(Failure) -> ManifestFiles {
    guard !options.json else {
      throw Failure(
        .usage, "No JSON here", "What edits the manifest shows the difference as text.", hint: "Leave --json out.")
    }
    return try ManifestFiles(options, in: world)
  }

  /// Holds the edited files to the manifest's rules, shows the difference, and writes it.
  /// - Parameters:
  ///   - confirming: asked between the two, where the difference is shown already.
  ///   - told: what was done, in words.
  func finish(
    _ files: ManifestFiles, _ options: GlobalOptions, in world: World,
    confirming: () throws(Failure) -> Void = { () throws(Failure) in }, told: String, next: String = "keyplan plan"
  ) throws(Failure) -> Int32 {
    let environments = files.environments()
    try check(environments, files, options, in: world)
    if !options.isQuiet(in: world) || dryRun { show(files, environments, options, in: world) }
    guard !dryRun else {
      world.err.write("Nothing was written: this is a dry run.\n")
      return ExitStatus.done.rawValue
    }
    try confirming()
    try files.write()
    if !options.isQuiet(in: world) {
      let environment = files.environment.map { " --environment \($0)" } ?? ""
      world.out.write("\(told)\nNext: \(next)\(environment)\n")
    }
    return ExitStatus.done.rawValue
  }

  private func check(
    _ environments: [ManifestFiles.Environment], _ files: ManifestFiles, _ options: GlobalOptions, in world: World
  ) throws(Failure) {
    for environment in environments {
      let faults = environment.faults
      guard !faults.isEmpty else { continue }
      let wasBroken = environment.before.manifest == nil
      let told = wasBroken ? environment.before.diagnostics.filter { $0.code.severity == .error } : faults
      let lines = environment.lines(isAfter: !wasBroken, files.reader)
      world.err.write(
        DiagnosticText.render(told, style: options.style(for: world.err, in: world)) { lines[$0] } + "\n")
      let file = files.base.shown + (environment.name.map { ", in the environment \($0)," } ?? "")
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
          ? "If a value was typed, it stands in the process list and in the shell's history: have it replaced." : nil)
    }
  }

  private func show(
    _ files: ManifestFiles, _ environments: [ManifestFiles.Environment], _ options: GlobalOptions, in world: World
  ) {
    let style = options.style(for: world.out, in: world)
    for file in files.changed {
      guard let environment = environments.first(where: { $0.name == file.environment }) ?? environments.first
      else { continue }
      let before = environment.lines(isAfter: false, files.reader)
      let after = environment.lines(isAfter: true, files.reader)
      world.out.write(
        DiffText.render(file.before, file.after, of: file.shown, style: style) { isAfter, line in
          (isAfter ? after : before)[Place(file: file.shown, line: line + 1, column: 1)]
        })
    }
  }
}
