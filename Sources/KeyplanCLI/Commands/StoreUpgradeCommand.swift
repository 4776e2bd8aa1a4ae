internal import ArgumentParser
internal import KeyplanCore
internal import KeyplanOperations
internal import KeyplanReporting

/// Upgrades the store to the current format.
struct StoreUpgradeCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Upgrade the store's records to the current format.",
    usage: "keyplan store upgrade [<options>]",
    discussion: """
      Values, history and everything else stay the same. Earlier versions of keyplan can no longer open the store. \
      From a format before 3 it gets a fresh root key, which keyplan.lock names: commit it, and update KEYPLAN_PIN. \
      Permissions recorded by earlier versions without details (a command without its variables, a host without \
      its credential) are completed from the current manifest.

      If the manifest has keys with `recipients`, the format is the one for them (4), otherwise 3.

      No other command upgrades a store. Until then values are read and written as before, and plans say that the \
      format is an earlier one.

      For example:
        keyplan store upgrade
      """)

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let world = try terminal.world()
    let workspace = try await Workspace(in: world)
    guard workspace.checkout == .trusted else {
      throw Failure(
        .refused, "Checkout is not trusted",
        "An upgrade records the commands and hosts of the manifest, and this checkout's manifest is not trusted.",
        hint: "Run it in a terminal, or set KEYPLAN_CHECKOUT=trusted where only reviewed files are checked out.")
    }
    let whole = try await PlanRun(workspace)
    _ = try whole.needStore()
    let steps =
      workspace.recorded.upgrade(to: workspace.manifest.storeFormat)
      + whole.plan.steps.filter { $0.completesPermission(in: workspace.recorded) }
    let upgrade = PlanRun(workspace, Plan(steps: steps), [], whole.allowances)
    let approval = Approval(asks: !confirmation.yes, hint: "Pass --yes.", command: "keyplan store upgrade")
    return try await approval.carryOut(upgrade, on: terminal).rawValue
  }
}

extension Recorded {
  fileprivate func upgrade(to format: Int) -> [Step] {
    guard let store, store.format < format else { return [] }
    return [Step(.store(.upgrade(StoreUpgrade(from: store.format, to: format))), because: .program)]
  }
}

extension Step {
  fileprivate func completesPermission(in recorded: Recorded) -> Bool {
    if case .store(.allow(let item, _)) = effect { recorded.surface[item] == .unrecorded } else { false }
  }
}
