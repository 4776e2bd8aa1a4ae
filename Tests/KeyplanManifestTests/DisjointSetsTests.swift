import Testing

@testable import KeyplanManifest

@Suite struct DisjointSetsTests {
  @Test("the first earlier set without a common member is found, as by comparing all pairs")
  func allPairs() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let sets = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
        (0..<6).filter { _ in Bool.random(using: &random) && Bool.random(using: &random) }
      }
      var expected: [Int: Int] = [:]
      for index in sets.indices {
        expected[index] = sets[..<index].firstIndex { Set($0).isDisjoint(with: sets[index]) }
      }
      #expect(DisjointSets(sets).earlier == expected, "\(sets)")
    }
  }

  @Test("many sets that share a member are not compared pair by pair")
  func bounded() {
    let count = 10_000
    for sets in [
      (0..<count).map { _ in [-1] }, (0..<count).map { [-1, $0] }, (0..<count).map { [-1, $0, $0 / 2 + count] },
      (0..<count).map { [$0] },
    ] {
      let found = DisjointSets(sets)
      #expect(found.comparisons <= DisjointSets.compared * count)
      #expect(found.earlier.count == (sets[1].count == 1 && sets[1] != sets[0] ? count - 1 : 0))
    }
  }
}
