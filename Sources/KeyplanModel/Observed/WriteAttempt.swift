/// A write to a target that began and of which nobody knows yet whether it happened: what may stand there beside what the
/// target's record says. Holds no fingerprint: whether a value is keyplan's follows from the keys' records.
package struct WriteAttempt: Hashable, Sendable, Codable {
  /// Where.
  package let destination: Destination
  /// The names that were to be written, each with the key whose value it was to get.
  package var names: [String: Identifier<Key>]

  package init(destination: Destination, names: [String: Identifier<Key>]) {
    self.destination = destination
    self.names = names
  }

  /// With what an earlier attempt at the same place may have left there.
  package func following(_ earlier: WriteAttempt?) -> WriteAttempt {
    guard let earlier, earlier.destination == destination else { return self }
    return WriteAttempt(destination: destination, names: earlier.names.merging(names) { $1 })
  }

  /// What may be left there once it is known of some names; nil for nothing.
  package func without(_ known: some Sequence<String>) -> WriteAttempt? {
    var left = names
    for name in known { left[name] = nil }
    return left.isEmpty ? nil : WriteAttempt(destination: destination, names: left)
  }
}
