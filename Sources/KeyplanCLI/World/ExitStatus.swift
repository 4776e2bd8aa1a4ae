/// One code per outcome. The table stands in `--help` and in the README.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case changes = 2
  case partly = 3
  case stale = 4
  case locked = 5
  case personNeeded = 6
  case refused = 7
  case unreachable = 8
  case storeRefused = 9
  case usage = 64
  case cannotRun = 125
  case interrupted = 130

  /// What it means, in the words of the table.
  var meaning: String {
    switch self {
    case .done: "done, or nothing to do"
    case .failed: "an error in the manifest or the run"
    case .changes: "plan --detailed-exitcode, fmt --check: changes; drift: findings"
    case .partly: "partly applied; the next plan knows what is left"
    case .stale: "stale: what was planned against has moved"
    case .locked: "the store is locked by somebody else"
    case .personNeeded: "a person is needed"
    case .refused: "a guard refused"
    case .unreachable: "something could not be reached, and that is all"
    case .storeRefused: "the store is refused, or not here"
    case .usage: "wrong usage"
    case .cannotRun: "run could not prepare; else run has its command's code"
    case .interrupted: "interrupted before anything was done"
    }
  }

  /// Which of several outcomes a run ends with: 9 > 5 > 7 > 1 > 3 > 4 > 8 > 6 > 2 > 0.
  private var rank: Int {
    let order: [ExitStatus] = [
      .storeRefused, .locked, .refused, .failed, .partly, .stale, .unreachable, .personNeeded, .changes,
    ]
    return order.firstIndex(of: self) ?? order.count
  }

  /// The one that counts of these.
  static func worst(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
    statuses.min { $0.rank < $1.rank } ?? .done
  }
}
