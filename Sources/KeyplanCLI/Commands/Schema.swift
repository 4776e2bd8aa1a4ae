internal import ArgumentParser
internal import CSchemas
internal import KeyplanReporting

/// The schemas of what programs read.
struct Schema: SingleThreadedCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON schema of the manifest, or of a command's output.",
    discussion: """
      Draft 2020-12. The files are those of schemas/ in keyplan's repository, of this version.

      For example:
        keyplan schema plan > plan.schema.json
      """
  )
  .parsedAlone

  @Argument(help: ArgumentHelp("The document (default: manifest).", valueName: "document"))
  var subject: EmbeddedSchema?

  func run(in world: World) async throws -> Int32 {
    guard let schema = subject ?? EmbeddedSchema(argument: "manifest") else { return ExitStatus.failed.rawValue }
    world.out.write(schema.bytes)
    return ExitStatus.done.rawValue
  }
}

/// A schema that is part of the program.
struct EmbeddedSchema: ExpressibleByArgument, Sendable {
  let name: String
  private let index: Int

  static var all: [EmbeddedSchema] {
    var all: [EmbeddedSchema] = []
    while let schema = keyplan_schema(all.count) {
      all.append(EmbeddedSchema(name: String(cString: schema.pointee.name), index: all.count))
    }
    return all
  }

  static var allValueStrings: [String] { all.map(\.name) }

  private init(name: String, index: Int) {
    self.name = name
    self.index = index
  }

  init?(argument: String) {
    guard let schema = Self.all.first(where: { $0.name == argument }) else { return nil }
    self = schema
  }

  /// The document, UTF-8.
  var bytes: UnsafeRawBufferPointer {
    guard let schema = keyplan_schema(index) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: schema.pointee.bytes, count: schema.pointee.size)
  }
}
