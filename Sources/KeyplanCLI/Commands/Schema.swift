internal import ArgumentParser

/// The schemas of what programs read.
struct Schema: Verb {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON schema of the manifest, or of what a command writes.",
    discussion: """
      Draft 2020-12. They are the files of schemas/ in keyplan's repository, of this version.

      For example:
        keyplan schema plan > plan.schema.json
      """
  )
  .parsedAlone

  @Argument(help: "Of what.")
  var subject: EmbeddedSchema = .manifest

  func run(in world: World) async throws -> Int32 {
    subject.text.withUTF8Buffer { _ = world.out.write(UnsafeRawBufferPointer($0)) }
    return ExitStatus.done.rawValue
  }
}

extension EmbeddedSchema: ExpressibleByArgument {}
