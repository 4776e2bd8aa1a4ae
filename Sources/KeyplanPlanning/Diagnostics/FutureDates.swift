package import KeyplanModel

extension Manifest {
  /// The keys whose date of issue is in the future.
  package func futureDates(at now: Moment) -> [Diagnostic] {
    keys.compactMap { id, key in
      key.facts.futureDate(at: now).map { Diagnostic(.key(id, .issuedAhead($0)), at: key.place) }
    }
  }
}
