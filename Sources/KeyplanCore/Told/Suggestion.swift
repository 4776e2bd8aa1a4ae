/// *Did you mean …?* for names: the nearest of the candidates, if one is near enough to be a slip of the fingers.
public enum Suggestion {
  /// The candidate with the smallest edit distance (Levenshtein, with swapped neighbours counted once), at most a third
  /// of the name's length and at least 1; ties go to the first in order of bytes. Where none is so near, the only candidate
  /// that begins with the name, if that is three bytes or more. Names over 64 bytes get none.
  public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count <= 64 else { return nil }
    let limit = max(1, bytes.count / 3)
    var best: (distance: Int, name: String)?
    var longer: [String] = []
    for candidate in candidates {
      if bytes.count > 2, candidate.utf8.count > bytes.count, candidate.utf8.starts(with: bytes) {
        longer.append(candidate)
      }
      guard abs(candidate.utf8.count - bytes.count) <= limit else { continue }
      let distance = distance(bytes, Array(candidate.utf8))
      guard distance > 0, distance <= limit else { continue }
      if let found = best, (found.distance, found.name) <= (distance, candidate) { continue }
      best = (distance, candidate)
    }
    return best?.name ?? (longer.count == 1 ? longer[0] : nil)
  }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, byte) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (byte == other ? 0 : 1))
        if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
