import KeyplanModel
import KeyplanPorts
import KeyplanSecrets

/// A program that is run for its output. It has no input, and its standard error is discarded, since it might contain
/// the secret.
struct Command: Hashable {
  private let line: CommandLine
  /// The program as written in the manifest.
  private let name: String
  private let timeout: Interval
  private let variables: Set<String>

  init(_ reference: Reference, in context: SourceContext) {
    line = CommandLine(reference, in: context)
    name = reference.arguments.first ?? ""
    timeout = reference.timeout ?? Interval(seconds: 30)
    variables = Set(reference.variables)
  }

  /// Runs the program until it ends or times out.
  func run(in context: SourceContext, asFile: Bool) async -> SourceAnswer {
    do throws(ProgramProcess.Failure) {
      let end = try await process(in: context).run()
      guard end.code == 0 else {
        return .unreachable("\"\(name)\" failed with exit code \(end.code). Run it manually to see why.")
      }
      if asFile, end.output.count > 0 { return SourceAnswer(file: end.output) }
      return SourceAnswer(text: end.output, whenEmpty: .unreadable("\"\(name)\" wrote nothing."))
    } catch {
      return error.wroteTooMuch ? .unreadable(error.reason) : .unreachable(error.reason)
    }
  }

  private func process(in context: SourceContext) -> ProgramProcess {
    ProgramProcess(
      name: name, path: line.program, arguments: line.arguments,
      environment: line.search.environment(variables, from: context.variables), directory: line.directory,
      timeout: timeout, outputLimit: 64 << 10)
  }
}
