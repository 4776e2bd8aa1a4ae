package import KeyplanHTTP
package import KeyplanModel
package import KeyplanOAuth
package import KeyplanPorts
package import KeyplanSecrets

/// The interactive sign-in to an account, in a browser or on another device.
package struct AccountSignIn: Sendable {
  private let account: Account
  private let client: OAuthClient
  private let port: HTTPClient

  /// - Throws: `HTTPError` for an invalid address.
  package init(_ ask: AccountAsk, through services: CalendarServices) throws(HTTPError) {
    account = ask.account
    client = try OAuthClient(ask)
    port = services.client
  }

  /// Prepares a sign-in with a browser.
  /// - Parameter port: the port on which this machine listens. Google's redirect is 127.0.0.1; Microsoft allows any
  ///   port of `localhost`.
  package func browser(port: Int) -> SignIn {
    let host = account.facts.service == .outlook ? "localhost" : "127.0.0.1"
    // Unless consent is requested again, Google sends no refresh token to users who have consented before.
    return SignIn(
      client, scopes: account.signInScopes, redirect: "http://\(host):\(port)/", account: account.facts.account,
      again: account.facts.service == .google)
  }

  /// Requests tokens for an authorization code.
  package func redeem(_ code: SecretBox, of signIn: SignIn) async -> SignInOutcome {
    SignInOutcome(await client.ask(signIn.request(with: code), through: port), wanting: account.scopes)
  }

  /// Starts a sign-in on another device.
  package func beginDevice() async -> DeviceOutcome {
    await client.beginDevice(scopes: account.signInScopes, through: port)
  }

  /// Waits up to `limit` for the sign-in to end; `nil` if the task was cancelled.
  package func endDevice(
    _ signIn: DeviceSignIn, within limit: Interval, clock: @Sendable () -> Moment
  ) async -> SignInOutcome? {
    let outcome = await client.end(of: signIn, within: limit, through: port, clock: clock) { interval in
      try await Task.sleep(for: .seconds(interval.seconds))
    }
    return outcome.map { SignInOutcome($0, wanting: account.scopes) }
  }
}

/// The result of a sign-in.
package enum SignInOutcome: Sendable {
  case granted(AccountGrant)
  /// The service refused or the user declined.
  case refused(Refusal)
  /// The result is unknown.
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
