import KeyplanHTTP
import KeyplanModel
import KeyplanOAuth
package import KeyplanPorts
import KeyplanSecrets

extension CalendarServices {
  /// The maximum number of attempts for a request that never reached the service.
  private static let attempts = 4

  /// Requests the next access token. For accounts without interactive sign-in, a refresh is a new token request.
  package func refresh(_ ask: AccountAsk) async -> RefreshAnswer {
    let (client, request): (OAuthClient, TokenRequest)
    switch self.request(for: ask) {
    case .success(let made): (client, request) = made
    case .failure(let impossible): return impossible.answer
    }
    var (attempt, pause) = (1, Duration.milliseconds(500))
    while true {
      let outcome = await client.ask(request, through: self.client)
      // A request that may have arrived is not repeated: using a refresh token twice may end the sign-in.
      guard outcome.neverArrived, attempt < Self.attempts, (try? await self.pause(pause.jittered)) != nil else {
        return RefreshAnswer(outcome, to: request, wanting: ask.account.scopes)
      }
      (attempt, pause) = (attempt + 1, pause * 2)
    }
  }

  private struct Impossible: Error { let answer: RefreshAnswer }

  private func request(for ask: AccountAsk) -> Result<(OAuthClient, TokenRequest), Impossible> {
    let client: OAuthClient
    do throws(HTTPError) { client = try OAuthClient(ask) } catch {
      return .failure(Impossible(answer: .notAllowed(reason: "\(error)".asSentence, hint: error.hint)))
    }
    let account = ask.account
    switch account.signIn {
    case .browser, .device:
      guard let token = ask.tokens?.refresh else { return .failure(Impossible(answer: .ended(.ended, code: ""))) }
      // Microsoft requires the scopes again; Google uses those that were granted.
      let scopes = account.facts.service == .outlook ? account.scopes : []
      return .success((client, .refresh(token, scopes: scopes)))
    case .clientCredentials: return .success((client, .clientCredentials(scopes: account.scopes)))
    case .serviceAccount:
      do throws(ServiceAccountError) {
        guard let keyFile = ask.keyFile else { throw .missing("private_key") }
        let signer = try ServiceAccount(keyFile)
        // Under its own name, it reads the calendars that were shared with it.
        let subject = account.facts.account == signer.email ? nil : account.facts.account
        return .success(
          (
            client,
            try signer.request(
              for: account.scopes, audience: client.service.token.text, subject: subject, at: clock())
          ))
      } catch {
        return .failure(Impossible(answer: .notAllowed(reason: "\(error)".asSentence, hint: nil)))
      }
    case .password:
      let reason = "Accounts with a password have no tokens."
      return .failure(Impossible(answer: .notAllowed(reason: reason, hint: nil)))
    }
  }

  /// Revokes the refresh token, and with it all access tokens derived from it.
  package func revoke(_ ask: AccountAsk) async -> RevocationAnswer {
    guard let token = ask.tokens?.refresh ?? ask.tokens?.access, ask.account.signIn.needsPerson else {
      return .notOffered
    }
    do throws(HTTPError) {
      let client = try OAuthClient(ask)
      switch await client.revoke(token, isRefresh: ask.tokens?.refresh != nil, through: self.client) {
      case .done: return .done
      case .notOffered: return .notOffered
      case .refused(let refusal): return .refused(reason: "\(refusal)".asSentence)
      case .unavailable(let unavailable): return .unavailable(reason: "\(unavailable)".asSentence)
      }
    } catch {
      return .refused(reason: "\(error)".asSentence)
    }
  }
}

extension OAuthClient {
  init(_ ask: AccountAsk) throws(HTTPError) {
    self.init(id: ask.account.facts.client ?? "", secret: ask.clientSecret, at: try OAuthService(ask.account.facts))
  }
}

extension TokenOutcome {
  /// Whether it is certain that the service has not received the request.
  fileprivate var neverArrived: Bool {
    guard case .unavailable(let unavailable) = self, case .unreachable(let error) = unavailable.reason else {
      return false
    }
    switch error.code {
    case .unresolved, .refused, .noRoute: return true
    default: return false
    }
  }
}

extension Duration {
  fileprivate var jittered: Duration { self * Double.random(in: 0.75...1.25) }
}
