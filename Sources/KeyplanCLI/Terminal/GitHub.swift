internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanReporting

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The output for GitHub Actions: annotations next to the log, and Markdown in the job's summary.
struct GitHub {
  /// The size limit of a step's summary; a longer one is not shown at all.
  static let limit = 1 << 20

  let terminal: Terminal
  let world: World

  /// Writes the report and the annotations to the log, and the summary to the file that GITHUB_STEP_SUMMARY names.
  func show(_ report: String, _ annotations: String, summary: String) {
    terminal.out.write(report)
    terminal.out.writeAsItIs(annotations)
    guard let path = world.variable("GITHUB_STEP_SUMMARY") else { return }
    if let reason = append(summary, to: world.absolute(path)) {
      terminal.out.writeAsItIs(GitHubText.command("warning", [("title", "No job summary")], reason))
    }
  }

  /// Sets outputs for later steps of the job, in the file that GITHUB_OUTPUT names. The values have no line feeds.
  func set(_ outputs: [(name: String, value: String)]) {
    guard let path = world.variable("GITHUB_OUTPUT") else { return }
    let lines = outputs.map { "\($0.name)=\($0.value)\n" }.joined()
    if let reason = append(lines, to: world.absolute(path)) {
      terminal.out.writeAsItIs(GitHubText.command("warning", [("title", "No step output")], reason))
    }
  }

  /// The path from the repository's root of a file that is named from the working directory.
  func path(_ file: String) -> String {
    guard let root = world.variable("GITHUB_WORKSPACE") else { return file }
    return Project.relative(world.absolute(file), to: root)
  }

  /// Returns the reason that it failed, if it did.
  private func append(_ text: String, to path: String) -> String? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { return String(cString: strerror(errno)) + "." }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    guard Int(status.st_size) + text.utf8.count <= Self.limit else {
      return "The step's summary would exceed the limit of 1 MiB."
    }
    var text = text
    let isWhole = text.withUTF8 { Output(descriptor: descriptor).write(UnsafeRawBufferPointer($0)) }
    return isWhole ? nil : String(cString: strerror(errno)) + "."
  }
}
