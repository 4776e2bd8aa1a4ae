internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Replaces generated values.
struct KeysRotate: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Generate new values for keys with `source: { generate: … }`, and write them to their targets.",
    usage: "keyplan keys rotate <name> ... [<options>]",
    discussion: """
      Shows the plan, asks for confirmation, and applies it. The previous values are kept in the history, so that \
      keyplan state rollback can restore them. A key that a provider issues is replaced at the provider: put the new \
      key where the source points, and run keyplan apply.

      For example:
        keyplan keys rotate session-secret
      """)

  @Argument(
    help: ArgumentHelp("The names of keys.", valueName: "name"), completion: DeclaredNames.keys)
  var names: [String]

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let planning = try await PlanRun.rotating(names, in: workspace)
    let approval = Approval(asks: !confirmation.yes, hint: "Pass --yes.", command: "keyplan keys rotate")
    return try await approval.carryOut(planning, on: terminal).rawValue
  }
}
