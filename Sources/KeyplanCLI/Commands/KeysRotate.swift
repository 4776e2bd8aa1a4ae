internal import ArgumentParser
internal import KeyplanOperations
internal import KeyplanReporting

/// Replaces values that are generated, or made by a provider.
struct KeysRotate: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Make new values for keys that keyplan generates, or that a provider creates for it.",
    usage: "keyplan keys rotate <name> ... [<options>]",
    discussion: """
      Shows the plan, asks for confirmation, and applies it: a new value is generated (source: { generate: … }) or made \
      at the provider (source: { mint: … }), and written to the targets. A replaced generated value is kept in the \
      history, so that keyplan keys rollback can restore it. A replaced key is revoked at its provider, after the \
      overlap in its policy. Where only a person can make a key, the plan says how.

      For example:
        keyplan keys rotate session-secret
        keyplan keys rotate openai-main --yes
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
