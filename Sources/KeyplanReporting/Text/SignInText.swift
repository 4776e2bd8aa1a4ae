package import KeyplanModel

/// Instructions for a person who signs in. Addresses are on lines of their own, unbroken, to be copied.
package enum SignInText {
  package static func browser(
    _ account: Account, _ id: Identifier<Account>, address: String, port: Int, limit: Duration, isOpened: Bool,
    mayPaste: Bool
  ) -> String {
    let lead =
      isOpened ? "A browser opens this page. If it does not, open it yourself:" : "Open this page in a browser:"
    let paste =
      mayPaste
      ? "\nOr paste the address of the page on which the browser ends here, even if that\npage fails to load.\n" : ""
    return """
      \(heading(account, id))

      \(lead)

      \(address)

      Waiting for the redirect on port \(port) of this machine, for \(Self.spoken(limit)).
      If the browser runs on another machine, forward the port first. Run there:

        ssh -L \(port):127.0.0.1:\(port) THIS-MACHINE
      \(paste)

      """
  }

  package static func device(
    _ account: Account, _ id: Identifier<Account>, address: String, code: String, within limit: Interval
  ) -> String {
    """
    \(heading(account, id))

    Open this page on any device:

      \(Glyphs.visible(address))

    and enter this code:

      \(Glyphs.visible(code))

    Waiting for \(limit.spoken).

    """
  }

  private static func heading(_ account: Account, _ id: Identifier<Account>) -> String {
    "Sign in as \(Glyphs.visible(account.facts.account)) at \(service(account)), for calendar.\(id)."
  }

  private static func service(_ account: Account) -> String {
    guard let address = account.facts.endpoints[.authorize] ?? account.facts.endpoints[.device] else {
      return account.facts.service.spoken
    }
    return Glyphs.visible(address)
  }

  private static func spoken(_ limit: Duration) -> String { Interval(seconds: limit.components.seconds).spoken }
}
