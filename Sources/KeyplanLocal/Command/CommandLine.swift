import KeyplanModel

/// A command as it is started: with the program's path, and with absolute paths. The work tree is not searched for the
/// program, and is not the working directory unless the manifest declares that.
struct CommandLine: Hashable {
  /// The program's absolute path; nil if it was not found.
  let program: String?
  /// The arguments after the program.
  let arguments: [String]
  /// The declared working directory, absolute; nil for a private empty one.
  let directory: String?
  let search: ProgramSearch
  /// The files of the work tree that the command names as its program or arguments: as written, and as absolute paths.
  let files: [(name: String, path: String)]
  /// Whether the program, the working directory or an argument is in the work tree.
  let runsWorkTree: Bool

  init(_ reference: Reference, in context: SourceContext) {
    let search = ProgramSearch(in: context)
    let given = reference.arguments.dropFirst()
    let arguments = given.map { Self.isRelative($0) ? search.absolute($0) : $0 }
    let directory = reference.directory.map(search.absolute)
    let (program, variables) = (search.path(of: reference.arguments.first ?? ""), Set(reference.variables))

    var files: [(name: String, path: String)] = []
    var isInside = directory.map(search.isInside) ?? false
    if let program, search.isInside(program) {
      files.append((reference.arguments.first ?? "", program))
      isInside = true
    }
    for (name, argument) in zip(given, arguments) {
      if argument.hasPrefix("/"), search.isInside(argument) {
        files.append((name, argument))
        isInside = true
      } else if search.mentionsWorkTree(argument) {
        // A path inside an argument, as in `sh -c \"cd /srv/app && ./a\"`: which files it uses is unknown.
        isInside = true
      }
    }
    // A path in a variable is used like an argument, but a file that git does not track was written there by the job.
    let configuration = ConfigurationFiles(context)
    for name in variables.sorted() where name != "PATH" && !name.hasPrefix("KEYPLAN_") {
      for path in configuration.trackedPaths(in: context.variables[name] ?? "") {
        // The directories of a search path are where programs find libraries and more.
        if !search.isDirectory(path) { files.append(("$\(name)", path)) }
        isInside = true
      }
    }
    (self.program, self.arguments, self.directory, self.search) = (program, arguments, directory, search)
    self.files = files.filter { !reference.data.contains($0.name) }
    runsWorkTree = isInside
  }

  static func == (left: Self, right: Self) -> Bool {
    left.program == right.program && left.arguments == right.arguments && left.directory == right.directory
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(program)
    hasher.combine(arguments)
    hasher.combine(directory)
  }

  /// Only `./` and `../` clearly begin a relative path.
  private static func isRelative(_ argument: String) -> Bool {
    argument.hasPrefix("./") || argument.hasPrefix("../") || argument == "." || argument == ".."
  }
}
