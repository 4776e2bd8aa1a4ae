internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Formats the manifest.
struct Fmt: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    abstract: "Format the manifest and its overlays canonically.",
    usage: "keyplan fmt [--check] [<options>]",
    discussion: """
      The meaning stays the same, and comments stay with what they belong to. Sections are sorted in the order of \
      the documentation, as are the fields of a key, a target or another item; your own names keep their order. \
      References and the paths of targets are written as in plans: ./a/../b becomes b, unless a is a symbolic link, \
      and %41 becomes A. Levels are indented by two spaces, with one space after each colon and dash. Trailing \
      blanks and repeated blank lines are removed, and the last line gets a newline.

      Quotes and the inside of brackets are not changed. If something cannot be moved safely, nothing is written \
      and its location is reported.

      The manifest's JSON Schema, for editors, is written to .keyplan/keyplan.schema.json if it is missing or from \
      another version.

      For example:
        keyplan fmt
        keyplan fmt --check
      """
  )
  .parsedAlone

  @Flag(help: "Print a diff and exit 2 if a file is not formatted; write nothing.")
  var check = false

  @OptionGroup var text: TextOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    var files = try ManifestFiles(in: world)
    try files.makeCanonical()
    let environments = files.environments()
    try files.check(environments)
    if !check { EditorSchema.write(in: Project.parent(of: files.edited.path), of: world) }
    let names = files.changed.map(\.shown).joined(separator: ", ")
    let isQuiet = terminal.isQuiet
    guard !files.changed.isEmpty else {
      if !isQuiet { terminal.out.write("Nothing to change: \(files.edited.shown) is in canonical form.\n") }
      return ExitStatus.done.rawValue
    }
    if !isQuiet {
      terminal.out.write(files.difference(environments, style: terminal.style(for: terminal.out)))
    }
    guard !check else {
      if !isQuiet { terminal.out.write("Not in canonical form: \(names). Run keyplan fmt.\n") }
      return ExitStatus.changes.rawValue
    }
    try files.write()
    if !isQuiet { terminal.out.write("Written: \(names).\n") }
    return ExitStatus.done.rawValue
  }
}
