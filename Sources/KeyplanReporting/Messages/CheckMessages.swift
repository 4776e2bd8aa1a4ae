package import KeyplanModel
package import KeyplanPlanning

extension CheckOutcome {
  /// The word for people.
  package var word: String {
    switch self {
    case .valid: "valid"
    case .restricted: "restricted"
    case .noCredit: "no credit"
    case .throttled: "rate limited"
    case .pending: "not yet active"
    case .expired: "expired"
    case .blocked: "disabled"
    case .invalid: "invalid"
    case .unknown: "unknown"
    }
  }

  /// The hint; nil if there is nothing to do.
  package func hint(for id: Identifier<Key>, _ renewal: Renewal) -> String? {
    switch self {
    case .invalid, .expired, .blocked: renewal.sentence(for: id)
    case .noCredit: "Add credit to the account at the provider."
    case .valid, .restricted, .throttled, .pending, .unknown: nil
    }
  }
}

extension VerifyReport.Obstacle {
  /// The reason that the provider was not queried, and the fix.
  package func message(provider: String) -> Message {
    switch self {
    case .noCheck:
      Message(
        "There is no check for keys of \(provider).",
        hint: provider == "generic" ? nil : "Describe one under providers: in the manifest (docs/checks.md).")
    case .noAddress(let reason):
      Message(reason, hint: "Write the address under providers: in the manifest: \(provider): {address: https://…}")
    case .notPermitted(.undeclared):
      Message("The manifest does not declare the key.", hint: nil)
    case .notPermitted(.otherProvider(let declared, let recorded)):
      Message(
        "The manifest says \(declared), the store \(recorded). The key is not sent to either before that is applied.",
        hint: "Review the change, then: keyplan apply")
    case .notPermitted(.pending(let item)):
      Message(
        "The check uses \(item), and what is permitted for that host differs from the manifest.",
        hint: "Review the change, then: keyplan apply")
    case .composed:
      Message(
        "The value is composed of others, and is sent to no provider.", hint: "Verify the keys that it is composed of.")
    case .closed:
      Message("The identity in use cannot open the value.", hint: "Have one of its recipients verify it.")
    }
  }
}
