/// Finds the sets that are disjoint from an earlier one.
struct DisjointSets {
  /// For each set that is disjoint from an earlier one, the first such.
  private(set) var earlier: [Int: Int] = [:]
  /// The number of pairs that were compared.
  private(set) var comparisons = 0

  /// Different sets, all of which have members in common, that a set is compared with; later ones are not looked at. Without a bound the
  /// time would grow with the square of their number.
  static let compared = 100

  init<Member: Hashable>(_ sets: [[Member]]) {
    var uses: [Member: Int] = [:]
    for set in sets { for member in set { uses[member, default: 0] += 1 } }
    // A member of one set alone makes no difference. The rest is often the same for thousands of sets.
    var different: [(members: Set<Member>, first: Int)] = []
    var known: Set<Set<Member>> = []
    for (index, set) in sets.enumerated() {
      let members = Set(set.filter { uses[$0, default: 0] > 1 })
      for other in different {
        comparisons += 1
        guard other.members.isDisjoint(with: members) else { continue }
        earlier[index] = other.first
        break
      }
      if different.count < Self.compared, known.insert(members).inserted { different.append((members, index)) }
    }
  }
}
