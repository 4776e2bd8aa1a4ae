/// A role that exactly one key fills at a time, such as `active.assistant`.
public struct Slot: Sendable {
  /// The keys in order of preference; the first usable one is active. Never empty.
  public let candidates: [Identifier<Key>]
  /// Where the manifest declares it.
  public let place: FileLocation?

  /// Trusts that the list is not empty and names declared keys.
  public init(candidates: [Identifier<Key>], place: FileLocation? = nil) {
    self.candidates = candidates
    self.place = place
  }
}
