public import KeyplanApply
public import KeyplanCore
import KeyplanSecrets

/// What every source keeps from which secrets can be taken away.
public struct RemovalContract: Sendable {
  private let source: any RemovableSource
  private let present: [(reference: Reference, value: String)]
  private let missing: Reference

  /// - Parameter present: at least two, which are gone afterwards.
  public init(
    _ source: any RemovableSource, present: [(reference: Reference, value: String)], missing: Reference
  ) {
    self.source = source
    self.present = present
    self.missing = missing
  }

  /// What the source does not keep; empty for one that keeps it all. No value is in it.
  public func violations() async -> [String] {
    var found = Violations()
    found.check(source.backend.reference?.isRemovable == true, "the backend does not say that secrets can be removed")
    for (number, (reference, value)) in present.enumerated() {
      do throws(AccessFailure) {
        try await source.remove(reference, holding: SecretBox(Array("not \(value)".utf8)))
        found.add("another value than the one that was meant is removed")
      } catch {
        found.checkReason(error.reason, hides: present.map(\.value))
      }
      await check(from: number, &found, "a removal that was refused changes nothing")
      for what in ["what is there", "what is gone already"] {
        do throws(AccessFailure) {
          try await source.remove(reference, holding: SecretBox(Array(value.utf8)))
        } catch {
          found.add("\(what) is not removed")
        }
        await check(from: number + 1, &found, "\(what) is removed, and nothing else")
      }
    }
    do throws(AccessFailure) {
      try await source.remove(missing, holding: SecretBox([1]))
    } catch {
      found.add("what was never there is an error")
    }
    return found.list
  }

  /// All from this one on are there, and none before it.
  private func check(from first: Int, _ found: inout Violations, _ promise: String) async {
    let answers = await source.read(present.map(\.reference))
    for (index, answer) in answers.enumerated() {
      let text: String? =
        if case .value(let secret, _) = answer { secret.withBytes { String(decoding: $0, as: UTF8.self) } } else { nil }
      found.check(text == (index < first ? nil : present[index].value), promise)
    }
  }
}
