/// The way from what is recorded to what is declared: steps in the order in which they run.
package struct Plan: Hashable, Sendable {
  /// The steps. Each comes after those it waits for.
  package let steps: [Step]

  /// Trusts the order.
  package init(steps: [Step]) { self.steps = steps }

  /// Whether there is nothing to do.
  package var isEmpty: Bool { steps.isEmpty }
}

/// What a person has allowed for this one run, beyond what the manifest says.
package struct Allowances: Hashable, Sendable, Codable {
  /// Forget more than the limit, or a protected key: `--allow-forget`.
  package var forget: Bool
  /// Overwrite what others wrote at a target: `--allow-overwrite`.
  package var overwrite: Bool
  /// Retire the last usable key: `--allow-retire`.
  package var retire: Bool

  /// Nothing but what is given.
  package init(forget: Bool = false, overwrite: Bool = false, retire: Bool = false) {
    self.forget = forget
    self.overwrite = overwrite
    self.retire = retire
  }
}
