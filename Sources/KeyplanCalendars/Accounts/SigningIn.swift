package import KeyplanApply
package import KeyplanCore
package import KeyplanHTTP
package import KeyplanOAuth
package import KeyplanSecrets

/// The sign-in of a person, in a browser or on another device.
package struct AccountSignIn: Sendable {
  private let account: Account
  private let client: OAuthClient
  private let port: HTTPClient

  /// - Throws: `HTTPError` for an address that cannot be called.
  package init(_ ask: AccountAsk, through services: CalendarServices) throws(HTTPError) {
    account = ask.account
    client = try OAuthClient(ask)
    port = services.client
  }

  /// What to open in a browser.
  /// - Parameter port: where this machine listens. Google knows it as 127.0.0.1; Microsoft takes every port of `localhost`.
  package func browser(port: Int) -> SignIn {
    let host = account.facts.service == .outlook ? "localhost" : "127.0.0.1"
    // Without asking again Google gives no refresh token to whoever has agreed before.
    return SignIn(
      client, scopes: account.signInScopes, redirect: "http://\(host):\(port)/", account: account.facts.account,
      again: account.facts.service == .google)
  }

  /// Gets tokens for the code that the browser came back with.
  package func redeem(_ code: SecretBox, of signIn: SignIn) async -> SignInOutcome {
    SignInOutcome(await client.ask(signIn.request(with: code), through: port), wanting: account.scopes)
  }

  /// Begins on another device.
  package func beginDevice() async -> DeviceOutcome {
    await client.beginDevice(scopes: account.signInScopes, through: port)
  }

  /// Waits for the end of it, up to `limit`; `nil` when the task was cancelled.
  package func endDevice(
    _ signIn: DeviceSignIn, within limit: Interval, clock: @Sendable () -> Moment
  ) async -> SignInOutcome? {
    let outcome = await client.end(of: signIn, within: limit, through: port, clock: clock) { interval in
      try await Task.sleep(for: .seconds(interval.seconds))
    }
    return outcome.map { SignInOutcome($0, wanting: account.scopes) }
  }
}

/// What became of a sign-in.
package enum SignInOutcome: Sendable {
  /// Tokens.
  case granted(AccountGrant)
  /// The service or the person has said no.
  case refused(Refusal)
  /// Nothing is known.
  case unavailable(Unavailable)

  init(_ outcome: TokenOutcome, wanting scopes: [String]) {
    self =
      switch outcome {
      case .granted(let grant): .granted(AccountGrant(grant, wanting: scopes))
      case .refused(let refusal): .refused(refusal)
      case .unavailable(let unavailable): .unavailable(unavailable)
      }
  }
}
