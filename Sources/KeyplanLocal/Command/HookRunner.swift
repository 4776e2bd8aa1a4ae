package import KeyplanModel
internal import KeyplanPorts

/// Runs targets' hooks without input, and ignores their output.
package struct HookRunner: HookRunning {
  private let context: SourceContext
  private static let timeout = Interval(seconds: 60)

  /// Runs hooks in a private empty directory, with an allow-list of the context's variables.
  package init(_ context: SourceContext) { self.context = context }

  package func run(_ hook: Reference, with variables: [String: String]) async throws(AccessFailure) {
    let line = CommandLine(hook, in: context)
    let environment = line.search.environment(Set(hook.variables), from: context.variables)
    let process = ProgramProcess(
      name: hook.arguments.first ?? "", path: line.program, arguments: line.arguments,
      environment: environment.merging(variables) { $1 }, directory: line.directory,
      timeout: hook.timeout ?? Self.timeout, outputLimit: 1 << 10, isOutputCut: true)
    do throws(ProgramProcess.Failure) {
      let end = try await process.run()
      guard end.code == 0 else {
        throw ProgramProcess.Failure(
          reason: "\"\(process.name)\" failed with exit code \(end.code). Run it manually to see why.")
      }
    } catch {
      throw AccessFailure(.unreachable, error.reason)
    }
  }
}
