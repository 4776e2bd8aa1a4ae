internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// The options and the last step of commands that edit the manifest.
struct EditOptions: ParsableArguments {
  @Flag(help: "Show the difference without writing it.")
  var dryRun = false

  /// Validates the edited files, shows the difference, and writes them.
  /// - Parameters:
  ///   - confirming: called after the difference is shown and before files are written.
  ///   - done: a sentence that reports the completed edit.
  ///   - next: the command that carries it out, according to the written files.
  func finish(
    _ files: ManifestFiles, on terminal: Terminal,
    confirming: () throws(Failure) -> Void = { () throws(Failure) in }, done: String,
    next: @autoclosure () -> String = "keyplan plan"
  ) throws -> Int32 {
    let environments = files.environments()
    try files.check(environments)
    if !terminal.isQuiet || dryRun {
      terminal.out.write(files.difference(environments, style: terminal.style(for: terminal.out)))
    }
    guard !dryRun else {
      terminal.err.write("Nothing was written: this is a dry run.\n")
      return ExitStatus.done.rawValue
    }
    try confirming()
    try files.write()
    if !terminal.isQuiet {
      terminal.out.write("\(done)\nNext: \(terminal.command(next()))\n")
    }
    return ExitStatus.done.rawValue
  }
}
