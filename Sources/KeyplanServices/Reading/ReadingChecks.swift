import KeyplanModel

extension DescriptionReader {
  package static let checkFields = ["keys", "auth", "facts", "regions", "activation"]

  package mutating func keyCheck(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Check? {
    let key = scope.with(["key"])
    let before = faults.count
    guard let own = operation(written, Self.checkFields),
      let request = request(own, key, among: AnswerClass.ofChecks)
    else { return nil }
    var check = SecretAPI.Check(request)
    if let auth = own["auth"], let ways = members(auth, allowed: ["bearer", "header", "basic", "query"]) {
      check.auth = credential(ways, key)
    }
    let sent = request.variables.union(check.auth?.variables ?? [])
    if !sent.contains("key") { report(.keyNotSent, at: written) }
    // Outcomes with a fault have lost the condition that is at fault.
    if let outcomes = own["outcomes"], faults.count == before {
      for (rule, item) in zip(request.outcomes, items(outcomes))
      where rule.status.isEmpty && !rule.hasEvidence && rule.then != .unknown {
        report(.verdictWithoutCondition, at: item)
      }
    }
    if let facts = own["facts"], let named = members(facts, allowed: SecretAPI.CheckFact.allCases.map(\.rawValue)) {
      check.facts = named.all.compactMap { name, value in fact(value, key).map { Named(name, $0) } }
    }
    check.keys = pattern(own["keys"])
    if let regions = own["regions"] { check.regions = items(regions).compactMap { base($0, scope) } }
    if let activation = own["activation"] {
      check.activation = text(activation).flatMap { Interval($0) }
      if check.activation == nil { report(.notAnInterval, at: activation) }
    }
    return check
  }

  /// A value in the body, or `{header: NAME}`.
  private mutating func fact(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Fact? {
    guard written.has("header") else { return extract(written, scope).map { .body($0) } }
    guard let members = members(written, allowed: ["header"]), let header = text(members["header"]) else { return nil }
    return .header(header.lowercased())
  }
}
