internal import ArgumentParser
internal import KeyplanApply
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanPorts
internal import KeyplanReporting

/// Withdraws and removes everything of an environment.
struct Destroy: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "destroy",
    abstract: "Remove everything that keyplan wrote at targets, and all records of the environment.",
    usage: "keyplan destroy [<options>]",
    discussion: """
      Plans, asks for confirmation, and applies: values are removed from all targets, accounts are signed out, and \
      keys are removed from the store, where they can be restored for 30 days (keyplan keys rollback). Values at \
      sources, and values at targets that others have changed, are not touched. The manifest is not changed: the \
      next apply writes everything again.

      Protected keys are kept, and refused, unless --allow-forget is given.

      For example:
        keyplan destroy --environment review-17
        keyplan destroy --yes --json
      """
  )
  .parsedAlone

  @Flag(help: "Also remove protected keys.")
  var allowForget = false

  @Option(
    help: ArgumentHelp(
      "Apply without asking, but only if the plan has this id, as approved elsewhere.", valueName: "id"))
  var expect: String?

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world()).withdrawing()
    let kept = workspace.recorded.keys.filter { $0.value.facts.isProtected }.keys.sorted().map(\.name)
    guard allowForget || kept.isEmpty else {
      throw Failure(
        .refused, "Protected keys",
        "\(kept.joined(separator: ", ")): the manifest protects \(kept.count == 1 ? "it" : "them").",
        hint: "Remove `protected: true`, and apply; or use --allow-forget for this once.")
    }
    let planning = try await PlanRun(workspace, Allowances(forget: true))
    if let expect, let id = planning.id?.description, id != expect {
      if !terminal.isJSON { try terminal.show(planning, as: .text) }
      throw Failure(
        .stale, "Stale plan id", "The plan's id is \(id), not \(expect): state changed since that plan was made.",
        hint: "Review this plan and approve its id.")
    }
    let approval = Approval(
      asks: !confirmation.yes && expect == nil, hint: "Pass --yes or --expect ID.", command: "keyplan destroy")
    return try await approval.carryOut(planning, on: terminal).rawValue
  }
}
