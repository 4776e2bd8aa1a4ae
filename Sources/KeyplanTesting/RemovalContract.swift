package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

/// The contract of every source from which secrets can be removed.
package struct RemovalContract: Sendable {
  private let source: any RemovableSource
  private let present: [(reference: Reference, value: String)]
  private let missing: Reference

  /// - Parameter present: at least two secrets, which are removed.
  package init(
    _ source: any RemovableSource, present: [(reference: Reference, value: String)], missing: Reference
  ) {
    self.source = source
    self.present = present
    self.missing = missing
  }

  /// The violations, without any value; empty if there are none.
  package func violations() async -> [String] {
    var found = Violations()
    found.check(
      source.backend.reference?.isRemovable == true, "the backend does not declare that secrets can be removed")
    for (number, (reference, value)) in present.enumerated() {
      do throws(AccessFailure) {
        try await source.remove(reference, holding: SecretBox(Array("not \(value)".utf8)))
        found.add("a value other than the expected one is removed")
      } catch {
        found.checkReason(error.reason, hides: present.map(\.value))
      }
      await check(from: number, &found, "a rejected removal changes nothing")
      for what in ["a value", "an already removed value"] {
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
      found.add("removing a missing value is an error")
    }
    return found.list
  }

  /// Checks that all secrets from this index on exist, and none before it.
  private func check(from first: Int, _ found: inout Violations, _ promise: String) async {
    let answers = await source.read(present.map(\.reference))
    for (index, answer) in answers.enumerated() {
      let text: String? =
        if case .value(let secret) = answer { secret.withBytes { String(decoding: $0, as: UTF8.self) } } else { nil }
      found.check(text == (index < first ? nil : present[index].value), promise)
    }
  }
}
