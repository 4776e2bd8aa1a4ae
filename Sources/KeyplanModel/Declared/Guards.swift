/// The protection of keys in a manifest: recorded by each apply, so that a plan can show what a change removes.
package struct Guards: Hashable, Sendable, Codable {
  /// The demands of the rules. One fewer protects less.
  package var demands: Set<Demand>
  /// The declared exceptions. One more protects less.
  package var waivers: Set<String>

  /// The demand of one rule.
  package struct Demand: Hashable, Sendable, Codable {
    /// The rule's name.
    package let rule: String
    /// The keys that it is about, sorted; nil for all.
    package let keys: [Identifier<Key>]?
    /// The demand on them: `younger than 90 days`.
    package let words: String

    package init(rule: String, keys: [Identifier<Key>]?, words: String) {
      self.rule = rule
      self.keys = keys?.sorted()
      self.words = words
    }
  }

  package init(demands: Set<Demand> = [], waivers: Set<String> = []) {
    self.demands = demands
    self.waivers = waivers
  }

  /// Renames keys.
  package func moving(_ names: [Identifier<Key>: Identifier<Key>]) -> Guards {
    guard !names.isEmpty else { return self }
    let demands = demands.map { demand in
      Demand(rule: demand.rule, keys: demand.keys?.map { names[$0] ?? $0 }, words: demand.words)
    }
    return Guards(demands: Set(demands), waivers: waivers)
  }
}

extension Guards.Demand: CustomStringConvertible, Comparable {
  /// `fresh: openai younger than 90 days`, `central: every key not from env`.
  package var description: String {
    "\(rule): \(keys.map { $0.map(\.name).joined(separator: ", ") } ?? "every key") \(words)"
  }

  /// By text, for stable lists.
  package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}
