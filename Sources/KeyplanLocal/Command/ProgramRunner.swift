package import KeyplanApply
import KeyplanCore
import KeyplanSecrets

/// Runs programs that keyplan itself chooses, in a private empty directory.
package struct ProgramRunner: ProgramRunning {
  private let context: SourceContext
  private static let outputLimit = 1 << 20

  package init(_ context: SourceContext) { self.context = context }

  package func run(_ call: ProgramCall) async -> ProgramResult {
    let search = ProgramSearch(in: context)
    let name = call.arguments.first ?? ""
    let variables = call.variables.filter { !$0.key.hasPrefix("KEYPLAN_") && $0.key != "PATH" }
    let process = ProgramProcess(
      name: name, path: search.path(of: name), arguments: Array(call.arguments.dropFirst()),
      environment: search.environment([], from: context.variables).merging(variables) { $1 }, directory: nil,
      input: call.input, timeout: call.timeout, outputLimit: Self.outputLimit)
    do throws(ProgramProcess.Failure) {
      let end = try await process.run()
      return .ended(code: end.code, output: end.output, standardError: end.standardError)
    } catch {
      return .failed(reason: error.reason)
    }
  }
}
