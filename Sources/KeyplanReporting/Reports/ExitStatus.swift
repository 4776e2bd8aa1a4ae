/// One code per outcome. The table is in `--help` and in the README.
package enum ExitStatus: Int32, CaseIterable, Sendable {
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

  /// The meaning, in the words of the table.
  package var meaning: String {
    switch self {
    case .done: "done, or nothing to do"
    case .failed: "an error in the manifest or the run, or in writing the result"
    case .changes: "plan --detailed-exitcode, --check: changes; drift, verify: findings"
    case .partly: "partially applied; run plan again for the rest"
    case .stale: "stale plan: state changed since planning"
    case .locked: "the store is locked by another process"
    case .personNeeded: "sign-in required"
    case .refused: "blocked by a safety check"
    case .unreachable: "a source, target or service was unreachable (no other error)"
    case .storeRefused: "store missing, damaged, or not trusted"
    case .usage: "wrong usage"
    case .cannotRun: "run, watch: not started, or a key became unavailable (else its own code)"
    case .interrupted: "interrupted before anything was done"
    }
  }

  /// The one that counts of these.
  package static func worst(_ statuses: some Sequence<ExitStatus>, by precedence: Precedence = .standard) -> ExitStatus
  {
    statuses.min { precedence.rank(of: $0) < precedence.rank(of: $1) } ?? .done
  }

  /// The order in which outcomes decide the exit code of a run: the first that occurs.
  package struct Precedence {
    private let order: [ExitStatus]

    package static let standard = Precedence(order: [
      .storeRefused, .locked, .refused, .failed, .partly, .stale, .unreachable, .personNeeded, .changes,
    ])
    /// Findings are the result of drift: a source that is unreachable at the same time must not hide them.
    package static let drift = Precedence(order: [.storeRefused, .failed, .changes, .unreachable, .personNeeded])
    /// Unusable keys are its findings; a missing permission comes first.
    package static let verify = Precedence(order: [.storeRefused, .locked, .refused, .failed, .changes, .unreachable])

    fileprivate func rank(of status: ExitStatus) -> Int { order.firstIndex(of: status) ?? order.count }
  }
}
