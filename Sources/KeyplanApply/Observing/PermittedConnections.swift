package import KeyplanModel
package import KeyplanPorts

extension Manifest {
  /// Whether a place may be read and written, under all terms that it has now.
  package func permits(_ destination: Destination, _ recorded: Recorded, _ checkout: CheckoutRules) -> Bool {
    let limits = ObservationLimits(self, recorded, checkout)
    return limits.permits(destination) && !limits.runsUntrusted(destination)
  }

  /// The connections that are used and may be, under all terms that they have now.
  package func permittedConnections(_ recorded: Recorded, _ checkout: CheckoutRules) -> [Connection] {
    let used = usedConnections
    guard !used.isEmpty else { return [] }
    let limits = ObservationLimits(self, recorded, checkout)
    return used.filter { limits.permits($0) }
  }
}
