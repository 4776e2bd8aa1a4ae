import KeyplanApply
import KeyplanModel
import KeyplanPorts

extension FuzzEntry {
  static let plans = [FuzzEntry(name: "plan", longest: 16384, check: read)]

  /// Accepts every signature, so that what follows is reached.
  private struct Signer: PlanSigning {
    func planCode(of bytes: [UInt8]) -> [UInt8] { Array(repeating: 7, count: 32) }
    func signature(ofPlan bytes: [UInt8]) -> [UInt8] { Array(repeating: 7, count: 64) }
    func signer(ofPlan bytes: [UInt8], _ signature: [UInt8]) -> PlanSigner? { .full }
  }

  /// A plan file that is read and written again is the same plan.
  private static func read(_ input: [UInt8]) throws(Violation) {
    _ = SavedPlan.isPlan(input)
    let store = StoreState(id: String(repeating: "0", count: 32), serial: 1, epoch: 1)
    guard let plan = try? SavedPlan(file: input, store: store, signing: Signer()) else { return }
    guard let again = try? SavedPlan(file: plan.file(signing: Signer()), store: store, signing: Signer()) else {
      throw Violation("a plan that was read cannot be read again")
    }
    try require(
      again.plan == plan.plan && again.diagnostics == plan.diagnostics,
      "a plan that was read changed when it was written")
    let ids = [plan, again].map {
      PlanId(of: $0.plan, store: $0.store, environment: $0.environment, signing: Signer()).description
    }
    try require(ids[0] == ids[1], "a plan with two ids")
  }
}
