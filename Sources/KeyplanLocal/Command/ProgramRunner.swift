import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// Runs programs that keyplan itself chooses, or that the user's configuration names, in a private empty directory.
///
/// The rules for the commands of a manifest apply to them: in an untrusted checkout nothing of the work tree is run.
package struct ProgramRunner: ProgramRunning {
  private let context: SourceContext
  private static let outputLimit = 1 << 20

  package init(_ context: SourceContext) { self.context = context }

  package func run(_ call: ProgramCall) async -> ProgramResult {
    let search = ProgramSearch(in: context)
    let name = call.arguments.first ?? ""
    let variables = call.variables.filter { !$0.key.hasPrefix("KEYPLAN_") && $0.key != "PATH" }
    let environment = search.environment([], from: context.variables).merging(variables) { $1 }
    if !context.isTrusted {
      guard !search.runsWorkTree(call.arguments) else {
        return .failed(
          reason: "\"\(name)\" was not run: it, or an argument of it, is in the work tree, which is not trusted.")
      }
      if let refusal = ConfigurationFiles(context).refusal(ofEnvironment: environment) {
        return .failed(reason: "\"\(name)\" was not run: \(refusal.reason)")
      }
    }
    // It is unknown to which folder the path is relative, and the manifest's folder is the checkout.
    let isRelative = name.contains("/") && !name.hasPrefix("/")
    let process = ProgramProcess(
      name: name, path: isRelative ? nil : search.path(of: name), arguments: Array(call.arguments.dropFirst()),
      environment: environment, directory: nil,
      input: call.input, timeout: call.timeout, outputLimit: Self.outputLimit)
    do throws(ProgramProcess.Failure) {
      let end = try await process.run()
      return .ended(code: end.code, output: end.output, standardError: end.standardError)
    } catch {
      return .failed(reason: error.reason)
    }
  }
}
