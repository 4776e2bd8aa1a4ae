/// A regular expression that matches anywhere in a text, in bounded time: a file of a pull request may contain any
/// expression, and a backtracking engine would hang on some.
///
/// Supports the part of RE2 that consists of ASCII literals, `.`, classes, `\d \w \s` and their negations, `^`, `$`,
/// groups, alternatives, and the repeats `* + ? {m} {m,} {m,n}`, also lazy; `(?i)` at the beginning.
struct LinearPattern: Sendable {
  indirect enum Item: Sendable {
    case one(Set<UInt8>)
    case start, end
    case sequence([Item])
    case choice([Item])
    case times(Item, least: Int, most: Int?)
  }

  private let root: Item
  private static let longest = 1024
  /// The positions that may be visited in one match.
  private static let effort = 1_000_000

  /// Nil for anything else than the supported part.
  init?(_ text: String) {
    guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    var reader = LinearPatternReader(rest: Array(text.utf8)[...])
    if reader.rest.starts(with: "(?i)".utf8) {
      reader.rest = reader.rest.dropFirst(4)
      reader.foldsCase = true
    }
    guard let root = reader.choice(depth: 0), reader.rest.isEmpty else { return nil }
    self.root = root
  }

  /// Nil if that takes too long.
  func matches(_ text: [UInt8]) -> Bool? {
    guard text.count <= Self.longest else { return nil }
    var effort = Self.effort
    return Self.step(root, Set(0...text.count), text, &effort).map { !$0.isEmpty }
  }

  private static func step(
    _ item: Item, _ positions: Set<Int>, _ text: [UInt8], _ effort: inout Int
  ) -> Set<Int>? {
    effort -= positions.count + 1
    guard effort > 0 else { return nil }
    switch item {
    case .one(let set): return Set(positions.filter { $0 < text.count && set.contains(text[$0]) }.map { $0 + 1 })
    case .start: return positions.filter { $0 == 0 }
    case .end: return positions.filter { $0 == text.count }
    case .sequence(let items):
      var now = positions
      for item in items {
        guard let next = step(item, now, text, &effort) else { return nil }
        now = next
      }
      return now
    case .choice(let branches):
      var all: Set<Int> = []
      for branch in branches {
        guard let next = step(branch, positions, text, &effort) else { return nil }
        all.formUnion(next)
      }
      return all
    case .times(let inner, let least, let most):
      var now = positions
      for _ in 0..<least {
        guard let next = step(inner, now, text, &effort) else { return nil }
        now = next
      }
      var (all, count) = (now, least)
      while !now.isEmpty, most.map({ count < $0 }) ?? true {
        guard let next = step(inner, now, text, &effort) else { return nil }
        now = next.subtracting(all)
        all.formUnion(now)
        count += 1
      }
      return all
    }
  }
}
