/// The limits of the search for known values.
package struct KnownValueLimits: Sendable {
  /// The fewest bytes that a spelling has. Shorter ones are in every text; a value that is shorter is not searched for.
  package let shortest: Int
  /// The most spellings of one value. The first ones are the value itself and the texts in it; encodings follow.
  package let spellings: Int
  /// The most bytes of a spelling that are compared: a longer one is found by its beginning.
  package let compared: Int

  /// - Precondition: all are positive, and `shortest` is at most `compared`.
  package init(shortest: Int, spellings: Int = 4096, compared: Int = 64 << 10) {
    self.shortest = max(1, shortest)
    self.spellings = max(1, spellings)
    self.compared = max(self.shortest, compared)
  }
}
