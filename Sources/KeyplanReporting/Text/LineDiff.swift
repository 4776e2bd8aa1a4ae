/// The lines in which two texts differ. Anchored at lines that are in both exactly once, so that the time grows with the
/// texts, and moved sections show as such.
package struct LineDiff {
  /// A line of either text, without its end.
  package enum Line: Equatable {
    case kept(before: Int, after: Int)
    case removed(Int)
    case added(Int)
  }

  /// Lines that belong together, with those around them. Numbers count from 1.
  package struct Hunk {
    package let before: (start: Int, count: Int)
    package let after: (start: Int, count: Int)
    package let lines: [Line]
  }

  private(set) var lines: [Line] = []

  package init(_ before: [some Hashable], _ after: [some Hashable]) {
    var ids: [AnyHashable: Int] = [:]
    func number(_ line: AnyHashable) -> Int {
      if let id = ids[line] { return id }
      ids[line] = ids.count
      return ids.count - 1
    }
    let (old, new) = (before.map { number($0) }, after.map { number($0) })
    compare(old[...], new[...], depth: 0)
  }

  private mutating func compare(_ old: ArraySlice<Int>, _ new: ArraySlice<Int>, depth: Int) {
    var (old, new) = (old, new)
    while let first = old.first, first == new.first {
      lines.append(.kept(before: old.startIndex, after: new.startIndex))
      old.removeFirst()
      new.removeFirst()
    }
    var tail: [Line] = []
    while let last = old.last, last == new.last {
      old.removeLast()
      new.removeLast()
      tail.append(.kept(before: old.endIndex, after: new.endIndex))
    }
    let anchors = depth < 64 ? Self.anchors(old, new) : []
    if anchors.isEmpty {
      lines += old.indices.map { .removed($0) }
      lines += new.indices.map { .added($0) }
    } else {
      var (from, to) = (old.startIndex, new.startIndex)
      for anchor in anchors {
        compare(old[from..<anchor.old], new[to..<anchor.new], depth: depth + 1)
        lines.append(.kept(before: anchor.old, after: anchor.new))
        (from, to) = (anchor.old + 1, anchor.new + 1)
      }
      compare(old[from...], new[to...], depth: depth + 1)
    }
    lines += tail.reversed()
  }

  /// Lines that are in both texts once, in an order that both have: the longest there is.
  private static func anchors(_ old: ArraySlice<Int>, _ new: ArraySlice<Int>) -> [(old: Int, new: Int)] {
    guard !old.isEmpty, !new.isEmpty else { return [] }
    var places: [Int: (old: Int, new: Int)] = [:]
    // -1: not seen, -2: seen more than once.
    for index in old.indices {
      let isFirst = places[old[index]] == nil
      places[old[index]] = (isFirst ? index : -2, -1)
    }
    for index in new.indices {
      guard let place = places[new[index]] else { continue }
      places[new[index]]?.new = place.new == -1 ? index : -2
    }
    let pairs = places.values.filter { $0.old >= 0 && $0.new >= 0 }.sorted { $0.old < $1.old }
    // The ends of rising sequences by length, each with its predecessor (patience sorting).
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low < ends.count { ends[low] = index } else { ends.append(index) }
    }
    var anchors: [(old: Int, new: Int)] = []
    var index = ends.last ?? -1
    while index >= 0 {
      anchors.append(pairs[index])
      index = previous[index]
    }
    return anchors.reversed()
  }
}

extension LineDiff {
  /// The differences, each with this many of the lines around it.
  package func hunks(context: Int = 3) -> [Hunk] {
    var hunks: [Hunk] = []
    var index = 0
    while let first = lines[index...].firstIndex(where: { !$0.isKept }) {
      let start = max(index, first - context)
      var (end, kept) = (first, 0)
      while end < lines.count, kept <= 2 * context {
        kept = lines[end].isKept ? kept + 1 : 0
        end += 1
      }
      end -= max(0, kept - context)
      hunks.append(hunk(start..<end))
      index = end
    }
    return hunks
  }

  private func hunk(_ range: Range<Int>) -> Hunk {
    let shown = Array(lines[range])
    let (before, after) = (shown.compactMap(\.before), shown.compactMap(\.after))
    return Hunk(
      before: (before.first.map { $0 + 1 } ?? 0, before.count), after: (after.first.map { $0 + 1 } ?? 0, after.count),
      lines: shown)
  }
}

extension LineDiff.Line {
  /// Its index in the old text.
  package var before: Int? {
    switch self {
    case .kept(let before, _), .removed(let before): before
    case .added: nil
    }
  }

  /// Its index in the new text.
  package var after: Int? {
    switch self {
    case .kept(_, let after), .added(let after): after
    case .removed: nil
    }
  }

  package var isKept: Bool { if case .kept = self { true } else { false } }
}
