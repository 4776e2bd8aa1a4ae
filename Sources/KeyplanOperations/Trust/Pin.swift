internal import KeyplanPorts
internal import KeyplanReporting
package import KeyplanStore

/// The expected store: its id and permitted root keys.
package struct Pin: Hashable, Sendable {
  /// The store's id: 32 hexadecimal digits.
  package let store: String
  /// Public commitments to root keys, 32 hexadecimal digits each: the present one first. A second one is the next, while the
  /// root key is being replaced; `KEYPLAN_PIN` may name several.
  package var roots: [String]
  /// The lowest serial that is accepted; nil for any.
  package var serial: Int64?

  package init(store: String, roots: [String], serial: Int64? = nil) {
    self.store = store
    self.roots = roots
    self.serial = serial
  }

  package init(_ facts: StoreFacts) {
    self.init(store: facts.id, roots: [facts.rootID])
  }

  /// The result of comparing a store with the pin.
  package enum Match {
    case same
    /// The same store under another root key.
    case otherRoot
    case otherStore
  }

  package func match(_ facts: StoreFacts) -> Match {
    store != facts.id ? .otherStore : roots.contains(facts.rootID) ? .same : .otherRoot
  }

  /// Whether a word can be an id or a commitment.
  package static func isHex(_ word: some StringProtocol) -> Bool {
    word.utf8.count == 32 && word.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
