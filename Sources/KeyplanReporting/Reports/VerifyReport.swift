package import KeyplanModel
package import KeyplanPlanning

/// The answers of providers about keys.
package struct VerifyReport: Sendable {
  package let environment: String?
  /// The store before the outcomes were recorded.
  package let store: StoreState?
  /// In order of names.
  package let rows: [Row]
  /// The providers that were asked by a check that is a preview, in order.
  package let previews: [String]

  package init(environment: String?, store: StoreState?, rows: [Row], previews: [String] = []) {
    (self.environment, self.store, self.rows, self.previews) = (environment, store, rows, previews)
  }

  /// One key.
  package struct Row: Sendable {
    package let key: Identifier<Key>
    /// The recorded provider.
    package let provider: String
    package let result: Result
    /// Whether the outcome is in the store.
    package var isRecorded = false
    /// The way in which the key gets a new value; nil if it was not asked about.
    package var renewal: Renewal?

    package init(_ key: Identifier<Key>, _ provider: String, _ result: Result) {
      (self.key, self.provider, self.result) = (key, provider, result)
    }
  }

  package enum Result: Sendable {
    case asked(Answer)
    case notAsked(Obstacle)
  }

  package struct Answer: Sendable {
    package let outcome: CheckOutcome
    package let facts: CheckFacts
    /// A sentence.
    package let reason: String
    package let at: Moment

    package init(_ outcome: CheckOutcome, _ facts: CheckFacts, reason: String, at: Moment) {
      (self.outcome, self.facts, self.reason, self.at) = (outcome, facts, reason, at)
    }
  }

  /// The reason that a provider was not queried.
  package enum Obstacle: Hashable, Sendable {
    /// There is no check for the provider.
    case noCheck
    /// The check needs a valid address. With a sentence.
    case noAddress(String)
    case notPermitted(CheckObstacle)
    /// The value is composed of others: no provider has issued it, and it is never sent to one.
    case composed
    /// The identity in use cannot open the value.
    case closed
  }

  /// The exit codes of the rows. A key that was named and could not be checked is an error.
  package func statuses(naming named: Set<Identifier<Key>>) -> [ExitStatus] {
    rows.compactMap { row in
      switch row.result {
      case .asked(let answer):
        if answer.outcome.isUnusable || answer.outcome == .noCredit { return .changes }
        return answer.outcome.isVerdict ? nil : .unreachable
      case .notAsked(.notPermitted(.otherProvider)), .notAsked(.notPermitted(.pending)): return .refused
      case .notAsked(.closed): return .storeRefused
      case .notAsked: return named.contains(row.key) ? .failed : nil
      }
    }
  }
}
