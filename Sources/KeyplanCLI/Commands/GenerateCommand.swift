internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Writes the names of the manifest as code.
struct GenerateCommand: TextCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate typed names of keys, slots and accounts from the manifest.",
    usage: "keyplan generate <language> [<options>]",
    discussion: """
      For programs that read keys: a name that the manifest does not declare then fails to compile. Reads the manifest \
      alone, without a store or an identity, and writes no values. Without an environment, these are the names in \
      keyplan.yaml itself. Swift uses the types of KeyplanReader; the package plugin GenerateKeyNames runs this command with \
      each build.

      For example:
        keyplan generate swift --out Sources/App/KeyNames.swift
        keyplan generate typescript --out src/keyNames.ts --check
      """
  )
  .parsedAlone

  @Argument(help: "swift, typescript or python.")
  var language: NameDeclarations.Language

  @Option(help: ArgumentHelp("Write to this file instead of standard output.", valueName: "file"), completion: .file())
  var out: String?

  @Option(help: ArgumentHelp("The access level in Swift (default: internal).", valueName: "level"))
  var access: NameDeclarations.AccessLevel?

  @Flag(help: "Write nothing; exit 2 if the file of --out is not up to date.")
  var check = false

  @OptionGroup var text: TextOptions

  func validate() throws {
    guard !check || out != nil else { throw ValidationError("--check requires --out.") }
    guard access == nil || language == .swift else { throw ValidationError("--access is for swift only.") }
  }

  func run(on terminal: Terminal) async throws -> Int32 {
    var world = try terminal.world()
    // The same text everywhere, trusted or not: no store is chosen here.
    world.settings.environment = world.settings.environment ?? EnvironmentChoice.nameOfAlone
    let project = try Project(in: world)
    let bytes = Array(try source(of: project).utf8)
    guard let out else {
      bytes.withUnsafeBytes { terminal.out.writeWhole($0) }
      return ExitStatus.done.rawValue
    }
    let file = try ResultFile(out, .names, sparing: TakenFiles(project, in: world), in: world)
    guard !check else { return report(isCurrent: file.holds(bytes), on: terminal) }
    guard !file.holds(bytes) else { return ExitStatus.done.rawValue }
    try file.write(bytes, on: terminal)
    if file.isNew { world.publish(file.path) }
    return ExitStatus.done.rawValue
  }

  private func source(of project: Project) throws -> String {
    let declarations = NameDeclarations(try project.manifest())
    do throws(NameDeclarations.Collision) {
      return try declarations.text(in: language, access ?? .internal)
    } catch {
      throw Failure(
        .failed, "Ambiguous names",
        "\"\(error.first)\" and \"\(error.second)\" are both \(error.identifier) in \(language.rawValue).",
        hint: "Rename one of them. For a key: keyplan keys rename \(error.second) NAME")
    }
  }

  private func report(isCurrent: Bool, on terminal: Terminal) -> Int32 {
    guard !isCurrent else { return ExitStatus.done.rawValue }
    if !terminal.isQuiet {
      terminal.out.write("Not up to date: \(out ?? ""). Run keyplan generate \(language.rawValue) without --check.\n")
    }
    return ExitStatus.changes.rawValue
  }
}

extension NameDeclarations.Language: ExpressibleByArgument {}
extension NameDeclarations.AccessLevel: ExpressibleByArgument {}
