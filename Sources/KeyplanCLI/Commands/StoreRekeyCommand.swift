internal import ArgumentParser
internal import KeyplanModel
internal import KeyplanOperations
internal import KeyplanPlanning
internal import KeyplanReporting

/// Replaces the store's root key.
struct StoreRekeyCommand: JSONCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey",
    abstract: "Replace the store's root key, and encrypt everything anew.",
    usage: "keyplan store rekey [--yes] [<options>]",
    discussion: """
      For an identity that may have leaked or was left behind: after this, an older copy of the store's keyring \
      opens nothing new. All values are encrypted anew in one transaction, and what they were encrypted to before \
      is overwritten and removed. If the run is interrupted, run it again. Whoever could open the store before may \
      have kept the values: replace those keys at their providers.

      keyplan.lock names the new root key: commit it, and update KEYPLAN_PIN. Plans saved earlier become invalid. \
      Removing a recipient from the manifest does the same with the next apply.

      For example:
        keyplan store rekey
      """)

  @OptionGroup var confirmation: ConfirmOptions

  @OptionGroup var options: GlobalOptions

  func run(on terminal: Terminal) async throws -> Int32 {
    let workspace = try await Workspace(in: try terminal.world())
    let rekeying = PlanRun(workspace, try workspace.rekeying(), [], Allowances())
    let approval = Approval(asks: !confirmation.yes, hint: "Pass --yes.", command: "keyplan store rekey")
    return try await approval.carryOut(rekeying, on: terminal).rawValue
  }
}
