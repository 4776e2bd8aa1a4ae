package import KeyplanModel
package import KeyplanPlanning

/// The particulars of steps at calendar services.
extension StepDetails {
  /// The reason that a person is required, and the command, which stays in one piece.
  package func authorize(_ need: AccountNeed) -> [Run] {
    Run.words(AccountMessages.need(need) + ":") + [Run(command("sign-in"), .choose)]
  }

  /// The conditions for removing an original.
  package func removal(of origin: String, for successor: Migration.Successor) -> [Run] {
    switch successor {
    case .key(let id): [Run(origin), .apart("once key.\(id) is read back")]
    case .account(let id): [Run(origin), .apart("once calendar.\(id) is refreshed and read back")]
    }
  }

  package func refresh(_ refresh: AccountRefresh) -> (String, [Run]) {
    switch refresh.reason {
    case .first: ("token fetched", Run.words("the first one, from \(host(refresh.facts))"))
    case .expired: ("token refreshed", Run.words("the current one has expired"))
    case .refused: ("token refreshed", Run.words("\(refresh.facts.service.spoken) rejects the current one"))
    }
  }

  package func select(_ selection: AccountSelection) -> (String, [Run]) {
    let was = selection.was.map { [Run.apart("was \($0.name)")] } ?? []
    guard let calendar = selection.calendar else {
      let words = selection.wanted.map { "uses \($0)" } ?? "uses its own"
      return (words, was + [.apart("once it can be asked")])
    }
    return ("uses \(calendar.name)", was)
  }

  package func signOut(_ signOut: AccountSignOut) -> [Run] {
    if signOut.revokes { return Run.words("its tokens are revoked at \(host(signOut.facts))") }
    if let others = signOut.sparing, !others.isEmpty {
      let names = others.map { "calendar.\($0)" }.joined(separator: ", ")
      return Run.words(
        "its tokens are forgotten here and not revoked: that would sign out \(names), the same person's account")
    }
    return signOut.facts.service == .caldav
      ? Run.words("what is recorded is forgotten")
      : Run.words("its tokens are forgotten here; remove keyplan's access in the account's settings")
  }

  private func host(_ facts: AccountFacts) -> String {
    facts.endpoints.isEmpty ? facts.service.spoken : "the service"
  }

  private func command(_ verb: String) -> String {
    guard case .calendar(let id) = step.address else { return "keyplan calendar \(verb)" }
    return "keyplan calendar \(verb) \(id)"
  }
}

extension Run {
  /// Words that may be parted between lines.
  package static func words(_ text: String) -> [Run] { text.split(separator: " ").map { Run(String($0)) } }
}
