internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// To the current format, and nothing else.
struct StoreUpgradeCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Write the store's records in the current format.",
    usage: "keyplan store upgrade [<options>]",
    discussion: """
      Values, history and everything else stay as they are. Earlier versions of keyplan refuse the store from then on. \
      What earlier versions allowed without its particulars (a command without its variables, a host without its credential) \
      is recorded with those that the manifest has now. The next apply does the same; until one of the two is done, accounts \
      are refreshed and values are read as before.

      For example:
        keyplan store upgrade
        keyplan plan            # shows the upgrade as a step, if there is one
      """)

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    guard workspace.checkout == .trusted else {
      throw Failure(
        .refused, "Checkout is not trusted",
        "An upgrade records what the manifest says of commands and hosts, and nobody has vouched for this manifest.",
        hint: "Run it at a terminal, or with KEYPLAN_CHECKOUT=trusted where only reviewed files are checked out.")
    }
    let whole = try await PlanRun(workspace)
    _ = try whole.needStore()
    let steps = whole.plan.steps.filter { $0.isUpgrade(of: workspace.recorded) }
    let upgrade = PlanRun(workspace, Plan(steps: steps), [], whole.allowances)
    let approval = Approval(asks: !confirmation.yes, hint: "Say --yes.", command: "keyplan store upgrade")
    return try await approval.carryOut(upgrade, on: terminal).rawValue
  }
}

extension Step {
  fileprivate func isUpgrade(of recorded: Recorded) -> Bool {
    switch (effect, address) {
    case (.upgrade, _): true
    case (.allow, .surface(let item)): recorded.surface[item] == .unrecorded
    default: false
    }
  }
}
