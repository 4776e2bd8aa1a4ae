package import KeyplanCore

extension Manifest {
  /// The connections that are used and may be, under all terms that they have now.
  package func permittedConnections(_ recorded: Recorded, _ checkout: CheckoutRules) -> [Connection] {
    let used = usedConnections
    guard !used.isEmpty else { return [] }
    let limits = ObservationLimits(self, recorded, checkout)
    return used.filter { limits.permits($0) }
  }
}
