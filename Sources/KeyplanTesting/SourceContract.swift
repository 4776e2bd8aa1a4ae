internal import KeyplanApply
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// The contract of every source, checked with a source that was given some secrets.
package struct SourceContract: Sendable {
  private let source: any SecretSource
  private let present: [(reference: Reference, value: String)]
  private let missing: [Reference]
  private let failing: [(reference: Reference, kind: AccessFailure.Kind)]

  /// - Parameter present: at least two secrets with different values, so that confused answers are detected.
  package init(
    _ source: any SecretSource, present: [(reference: Reference, value: String)], missing: [Reference] = [],
    unreachable: [Reference] = [], unreadable: [Reference] = [],
    failing: [(reference: Reference, kind: AccessFailure.Kind)] = []
  ) {
    self.source = source
    self.present = present
    self.missing = missing
    self.failing = failing + unreadable.map { ($0, .unreadable) } + unreachable.map { ($0, .unreachable) }
  }

  /// The violations, without any value; empty if there are none.
  package func violations() async -> [String] {
    var found = Violations()
    found.check(source.backend.reference != nil, "the backend does not describe its references")
    found.check(await source.read([]).isEmpty, "an empty list of references has answers")

    let expected = expectations
    let backwards = Array(expected.reversed())
    for batch in [expected, backwards, expected + expected] {
      await check(batch, &found)
    }
    for one in expected { await check([one], &found) }

    let both = [expected, backwards]
    let together = both.map { batch in Task { [source] in await source.read(batch.map(\.reference)) } }
    for (batch, answers) in zip(both, together) { compare(await answers.value, with: batch, &found) }
    return found.list
  }

  private enum Outcome: Equatable { case value(String), missing, failed(AccessFailure.Kind) }
  private typealias Expectation = (reference: Reference, outcome: Outcome)

  private var expectations: [Expectation] {
    var all: [Expectation] = present.map { ($0.reference, .value($0.value)) }
    // Between the values, to detect a source that answers group by group.
    all.insert(contentsOf: missing.map { ($0, .missing) }, at: min(1, all.count))
    let half = failing.count / 2
    all.insert(contentsOf: failing.prefix(half).map { ($0.reference, .failed($0.kind)) }, at: min(1, all.count))
    return all + failing.dropFirst(half).map { ($0.reference, .failed($0.kind)) }
  }

  private func check(_ batch: [Expectation], _ found: inout Violations) async {
    compare(await source.read(batch.map(\.reference)), with: batch, &found)
  }

  private func compare(_ answers: [SourceAnswer], with batch: [Expectation], _ found: inout Violations) {
    guard answers.count == batch.count else {
      return found.add("\(batch.count) references, but \(answers.count) answers")
    }
    for (answer, (reference, outcome)) in zip(answers, batch) {
      found.check(
        self.outcome(of: answer, &found) == outcome, "the answer to \(reference) in a batch of \(batch.count) is wrong")
    }
  }

  private func outcome(of answer: SourceAnswer, _ found: inout Violations) -> Outcome {
    switch answer {
    case .value(let secret): return .value(secret.withBytes { String(decoding: $0, as: UTF8.self) })
    case .missing(let reason):
      if let reason { found.checkReason(reason, hides: present.map(\.value)) }
      return .missing
    case .failed(let failure):
      found.checkReason(failure.reason, hides: present.map(\.value))
      return .failed(failure.kind)
    }
  }
}
