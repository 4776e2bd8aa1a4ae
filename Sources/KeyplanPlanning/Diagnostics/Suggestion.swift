/// *Did you mean …?* for names: the nearest of the candidates, if one is near enough to be a slip of the fingers.
package enum Suggestion {
  /// The candidate with the smallest edit distance (Levenshtein, with swapped neighbours counted once), at most a third of the name's length
  /// and at least 1; ties go to the first in order of bytes. If none is that near, the only candidate that begins with the name, if that is
  /// three bytes or more. Names over 64 bytes get none.
  package static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    var work = Int.max
    return nearest(to: name, among: candidates, within: &work)
  }

  /// The same within a bound that several searches share.
  /// - Parameter work: the cells of distance tables that may still be computed; reduced by those that were. Nothing is found once it is used
  ///   up.
  package static func nearest(
    to name: String, among candidates: some Sequence<String>, within work: inout Int
  ) -> String? {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
    var table = DistanceTable(from: bytes, limit: max(1, bytes.count / 3))
    var best: (distance: Int, name: String)?
    var longer: [String] = []
    for candidate in candidates {
      guard work > 0 else { return nil }
      let count = candidate.utf8.count
      if bytes.count > 2, count > bytes.count, candidate.utf8.starts(with: bytes) { longer.append(candidate) }
      guard abs(count - bytes.count) <= table.limit else { continue }
      let distance = table.distance(to: Array(candidate.utf8), &work)
      guard let distance, distance > 0 else { continue }
      if let found = best, (found.distance, found.name) <= (distance, candidate) { continue }
      best = (distance, candidate)
    }
    return best?.name ?? (longer.count == 1 ? longer[0] : nil)
  }
}

/// Edit distances up to a limit: only the cells near the diagonal are computed, and only while one of them is within it.
private struct DistanceTable {
  let limit: Int
  private let name: [UInt8]
  private var beforeLast: [Int]
  private var last: [Int]
  private var current: [Int]

  init(from name: [UInt8], limit: Int) {
    self.name = name
    self.limit = limit
    beforeLast = Array(repeating: 0, count: name.count + limit + 1)
    last = beforeLast
    current = beforeLast
  }

  /// Nil beyond the limit.
  /// - Parameter other: no longer than the name and the limit.
  mutating func distance(to other: [UInt8], _ work: inout Int) -> Int? {
    for column in 0...other.count { last[column] = column }
    for row in 0..<name.count {
      // Columns and rows are counted from 1 in the tables; beyond the band every distance exceeds the limit.
      let (first, end) = (max(1, row + 1 - limit), min(other.count, row + 1 + limit))
      guard first <= end else { return nil }
      current[first - 1] = first == 1 ? row + 1 : limit + 1
      var least = current[first - 1]
      for column in first...end {
        var cost = min(current[column - 1] + 1, last[column - 1] + (name[row] == other[column - 1] ? 0 : 1))
        if column < row + 1 + limit { cost = min(cost, last[column] + 1) }
        if row > 0, column > 1, name[row] == other[column - 2], name[row - 1] == other[column - 1] {
          cost = min(cost, beforeLast[column - 2] + 1)
        }
        current[column] = cost
        least = min(least, cost)
      }
      work -= end - first + 1
      guard least <= limit else { return nil }
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return last[other.count] <= limit ? last[other.count] : nil
  }
}
