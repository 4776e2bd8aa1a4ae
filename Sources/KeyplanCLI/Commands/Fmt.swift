internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// The manifest's canonical form.
struct Fmt: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    abstract: "Bring the manifest, and its overlays, into canonical form.",
    usage: "keyplan fmt [--check] [<options>]",
    discussion: """
      What it means stays the same, and comments stay with what they belong to. Sections stand in the order of the \
      documentation, and so do the fields of a key, a target or another thing; names that are yours keep your order. \
      References are written as plans show them: ./a/../b is b, and %41 is A. No line ends in blanks, no two blank lines \
      follow each other, and the last line has an end.

      Quotes, brackets and indentation are yours. What cannot be moved safely is refused with its place.

      The manifest's JSON schema, for editors, is written to .keyplan/keyplan.schema.json if it is missing or another \
      version's.

      For example:
        keyplan fmt
        keyplan fmt --check
      """
  )
  .parsedAlone

  @Flag(help: "Write nothing; show the difference, and end with 2 if there is one.")
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
