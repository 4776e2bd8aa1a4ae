/// A write whose outcome is unknown: values that may exist at the target in addition to the recorded ones. Contains no fingerprint: whether
/// a value is keyplan's follows from the keys' records.
package struct WriteAttempt: Hashable, Sendable, Codable {
  package let destination: Destination
  /// The names that were to be written, each with the key whose value it was to get.
  package var names: [String: Identifier<Key>]

  package init(destination: Destination, names: [String: Identifier<Key>]) {
    self.destination = destination
    self.names = names
  }

  /// Adds the names that an earlier attempt at the same place may have left there.
  package func following(_ earlier: WriteAttempt?) -> WriteAttempt {
    guard let earlier, earlier.destination == destination else { return self }
    return WriteAttempt(destination: destination, names: earlier.names.merging(names) { $1 })
  }

  /// The attempt without names whose outcome is known; nil if none is left.
  package func without(_ known: some Sequence<String>) -> WriteAttempt? {
    var left = names
    for name in known { left[name] = nil }
    return left.isEmpty ? nil : WriteAttempt(destination: destination, names: left)
  }
}
