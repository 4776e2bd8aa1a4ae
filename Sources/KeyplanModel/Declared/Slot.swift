/// A role that exactly one key fills at a time, such as `active.assistant`.
package struct Slot: Sendable {
  /// The keys in order of preference; the first usable one is active. Never empty.
  package let candidates: [Identifier<Key>]
  /// The location of the declaration.
  package let place: FileLocation?

  /// Trusts that the list is not empty and names declared keys.
  package init(candidates: [Identifier<Key>], place: FileLocation? = nil) {
    self.candidates = candidates
    self.place = place
  }
}
