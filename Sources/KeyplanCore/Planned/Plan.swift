/// The way from what is recorded to what is declared: steps in the order in which they run.
public struct Plan: Hashable, Sendable {
  /// The steps. Each comes after those it waits for.
  public let steps: [Step]

  /// Trusts the order.
  public init(steps: [Step]) { self.steps = steps }

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty }
}

/// What a person has allowed for this one run, beyond what the manifest says.
public struct Allowances: Hashable, Sendable, Codable {
  /// Forget more than the limit, or a protected key: `--allow-forget`.
  public var forget: Bool
  /// Overwrite what others wrote at a target: `--allow-overwrite`.
  public var overwrite: Bool
  /// Retire the last usable key: `--allow-retire`.
  public var retire: Bool

  /// Nothing but what is given.
  public init(forget: Bool = false, overwrite: Bool = false, retire: Bool = false) {
    self.forget = forget
    self.overwrite = overwrite
    self.retire = retire
  }
}
