internal import ArgumentParser
internal import KeyplanReporting

/// What the verbs that edit the manifest take, and how they end.
struct EditOptions: ParsableArguments {
  @Flag(help: "Show the difference, and write nothing.")
  var dryRun = false

  /// Reads what is to be edited.
  func files(_ options: GlobalOptions, in world: World) throws(Failure) -> ManifestFiles {
    try ManifestFiles(options, in: world)
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
    try files.check(environments, options, in: world)
    if !options.isQuiet(in: world) || dryRun { files.show(environments, options, in: world) }
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
}
