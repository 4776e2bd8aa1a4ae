internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Prints JSON Schemas.
struct Schema: SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of the manifest or of a command's output.",
    discussion: """
      Draft 2020-12. The schemas are those of this version in schemas/ of keyplan's repository.

      For example:
        keyplan schema plan > plan.schema.json
      """
  )
  .parsedAlone

  @Argument(help: ArgumentHelp("The document (default: manifest).", valueName: "document"))
  var subject: EmbeddedSchema?

  func run(on terminal: Terminal) async throws -> Int32 {
    guard let schema = subject ?? EmbeddedSchema(argument: "manifest") else { return ExitStatus.failed.rawValue }
    terminal.out.write(schema.bytes)
    return ExitStatus.done.rawValue
  }
}

extension EmbeddedSchema: ExpressibleByArgument {
  static var allValueStrings: [String] { all.map(\.name) }
}
