internal import ArgumentParser
internal import KeyplanLocal
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

/// Shows everything about a project, for people in a browser or for programs.
struct ReportCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a page with drift, expirations, keys, targets and accounts. Read-only.",
    usage: "keyplan report --html <file> [<options>]",
    discussion: """
      Checks what drift checks. The page is one file that loads nothing from elsewhere and contains no values; the \
      names of keys, targets and accounts are in it. --json writes the same data. Exits with 0 if the report was \
      written, whatever is in it; use drift for an exit code.

      For example:
        keyplan report --html report.html
      """
  )
  .parsedAlone

  @Option(
    help: ArgumentHelp("Write the page to this file; - means standard output.", valueName: "file"),
    completion: .file())
  var html: String?

  @OptionGroup var options: GlobalOptions

  func checkForm() throws(Failure) {
    guard html == "-", options.json else { return }
    throw Failure(
      .usage, "Standard output used twice", "--html - and --json would both be written to standard output.",
      hint: "Name a file for the page.")
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    guard html != nil || terminal.isJSON else {
      throw Failure(
        .usage, "No output chosen", "A report is written as a page or as JSON.",
        hint: "keyplan report --html report.html, or keyplan report --json.")
    }
    let workspace = try await Workspace(in: world)
    let file = try html.map { typed throws(Failure) in
      try ResultFile(typed, .page, sparing: TakenFiles(workspace.project, in: world), in: world)
    }
    let report = try await InventoryRun(workspace).report
    if let file {
      let page = InventoryPage.render(report, version: Keyplan.version, digest: ContentDigest.sha256)
      try file.write(Array(page.utf8), on: terminal)
    }
    if terminal.isJSON { terminal.out.write(try Document.text(InventoryDocument(report))) }
    return ExitStatus.done.rawValue
  }
}
