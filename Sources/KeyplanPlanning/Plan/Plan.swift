/// The steps from the recorded to the declared state, in the order in which they run.
package struct Plan: Hashable, Sendable {
  /// The steps. Each comes after those that it waits for.
  package let steps: [Step]

  /// Trusts the order.
  package init(steps: [Step]) { self.steps = steps }

  package var isEmpty: Bool { steps.isEmpty }
}

/// The permissions that a person has given for this one run, beyond the manifest.
package struct Allowances: Hashable, Sendable, Codable {
  /// Forget more than the limit, or a protected key: `--allow-forget`.
  package var forget: Bool
  /// Overwrite values that keyplan did not write: `--allow-overwrite`.
  package var overwrite: Bool
  /// Retire the last usable key: `--allow-retire`.
  package var retire: Bool

  /// Allows only the arguments.
  package init(forget: Bool = false, overwrite: Bool = false, retire: Bool = false) {
    self.forget = forget
    self.overwrite = overwrite
    self.retire = retire
  }
}
