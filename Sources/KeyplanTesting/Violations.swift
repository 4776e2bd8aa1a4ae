/// Collects the violations of a contract.
struct Violations {
  private(set) var list: [String] = []

  mutating func add(_ violation: String) { list.append(violation) }

  mutating func check(_ holds: Bool, _ violation: @autoclosure () -> String) {
    if !holds { add(violation()) }
  }

  /// Checks that a reason is a sentence and contains none of the values.
  mutating func checkReason(_ reason: String, hides values: [String]) {
    check(reason.hasSuffix(".") && reason.count > 5, "a reason is not a sentence: it must end with a full stop")
    for value in values where !value.isEmpty && reason.contains(value) { add("a reason shows a value") }
  }
}
