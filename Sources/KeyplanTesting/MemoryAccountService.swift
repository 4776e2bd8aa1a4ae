package import KeyplanModel
package import KeyplanPorts
package import KeyplanSecrets
import Synchronization

/// An in-memory calendar service for tests. It issues tokens, rotates them as configured, and can simulate lost
/// responses, refusals and outages.
package final class MemoryAccountService: AccountService {
  /// The effect of using a refresh token.
  package enum Rotation: Sendable, CaseIterable {
    /// It stays valid, and no other is issued, as with Google.
    case never
    /// Another one is issued, and the old one stays valid, as with Microsoft.
    case lenient
    /// Another one is issued, and a second use of the old one revokes all, as RFC 9700 recommends.
    case strict
  }

  /// A simulated failure of an account.
  package enum Fault: Sendable {
    /// The service is unreachable, with this reason.
    case unreachable(String)
    /// The service refuses access, with this reason.
    case notAllowed(String)
    /// Requests are executed, but the responses to refreshes are lost.
    case losesAnswers
    /// The granted scopes do not include reading calendars.
    case scopeMissing
    /// The service refuses to revoke tokens.
    case keepsTokens
    /// The tokens belong to another account, with this name.
    case answersFor(String)
  }

  private let state: Mutex<State>

  fileprivate struct State {
    let rotation: Rotation
    var sites: [String: Site] = [:]
    var count = 0
    var asked = 0
    var refreshes: [Identifier<Account>] = []
    var revocations: [Identifier<Account>] = []
  }

  /// The service's state of an account.
  fileprivate struct Site {
    var calendars: [AccountCalendar] = []
    var access: Set<[UInt8]> = []
    var refresh: Set<[UInt8]> = []
    var used: Set<[UInt8]> = []
    var password: [UInt8]?
    var fault: Fault?
  }

  /// Initially without accounts.
  package init(_ rotation: Rotation = .strict) { state = Mutex(State(rotation: rotation)) }

  /// The lifetime of access tokens.
  package static let lifetime = Interval(seconds: 3600)

  /// Sets the calendars of an account, which is created if necessary.
  package func put(_ calendars: [AccountCalendar], at account: String) {
    state.withLock { $0.sites[account, default: Site()].calendars = calendars }
  }

  /// Sets the password of an account.
  package func put(password: [UInt8], at account: String) {
    state.withLock { $0.sites[account, default: Site()].password = password }
  }

  /// Makes requests for an account fail; nil ends the failure.
  package func fail(_ fault: Fault?, at account: String) {
    state.withLock { $0.sites[account, default: Site()].fault = fault }
  }

  /// Revokes all tokens of an account, as its owner can do in the account's settings.
  package func endAll(of account: String) {
    state.withLock { state in
      state.sites[account]?.access = []
      state.sites[account]?.refresh = []
    }
  }

  /// The tokens that an interactive sign-in would return now.
  package func signIn(_ account: String) -> AccountGrant {
    state.withLock { state in state.grant(to: account, refresh: state.token("r")) }
  }

  /// The accounts for which a refresh was requested, in order, including failed requests.
  package var refreshes: [Identifier<Account>] { state.withLock { $0.refreshes } }

  /// The accounts whose tokens were revoked.
  package var revocations: [Identifier<Account>] { state.withLock { $0.revocations } }

  /// The number of requests for calendars.
  package var asked: Int { state.withLock { $0.asked } }

  /// Returns the calendars if the token or password is valid.
  package func ask(_ ask: AccountAsk) async -> AccountFinding {
    state.withLock { state in
      state.asked += 1
      let site = state.sites[ask.account.facts.account, default: Site()]
      switch site.fault {
      case .unreachable(let reason): return .unreachable(reason: reason)
      case .notAllowed(let reason): return .notAllowed(reason: reason, hint: nil)
      case .scopeMissing: return .scopeMissing
      case .answersFor(let name): return .otherAccount(name)
      case .losesAnswers, .keepsTokens, nil: break
      }
      let isIn =
        ask.account.signIn.hasTokens
        ? ask.tokens?.access.map { site.access.contains(Self.bytes($0)) } ?? false
        : ask.password.map { site.password == Self.bytes($0) } ?? false
      return isIn ? .answered(site.calendars) : .refused
    }
  }

  /// Returns the next tokens.
  package func refresh(_ ask: AccountAsk) async -> RefreshAnswer {
    state.withLock { state in
      let name = ask.account.facts.account
      state.refreshes.append(ask.id)
      let fault = state.sites[name, default: Site()].fault
      switch fault {
      case .unreachable(let reason): return .unavailable(reason: reason, isUnanswered: false)
      case .notAllowed: return .refused(.client, code: "invalid_client")
      case .losesAnswers, .scopeMissing, .keepsTokens, .answersFor, nil: break
      }
      let answer = state.refresh(ask, name)
      if case .losesAnswers = fault { return .unavailable(reason: "The response was lost.", isUnanswered: true) }
      return answer
    }
  }

  /// Revokes all tokens of the account.
  package func revoke(_ ask: AccountAsk) async -> RevocationAnswer {
    state.withLock { state in
      let name = ask.account.facts.account
      switch state.sites[name]?.fault {
      case .unreachable(let reason): return .unavailable(reason: reason)
      case .keepsTokens: return .refused(reason: "The service does not revoke tokens.")
      case .notAllowed, .losesAnswers, .scopeMissing, .answersFor, nil: break
      }
      state.revocations.append(ask.id)
      state.sites[name]?.access = []
      state.sites[name]?.refresh = []
      return .done
    }
  }

  /// The file's content is the token, unless it begins with a question mark (unusable), or with a plus sign (one of
  /// several tokens).
  package func token(in left: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft {
    switch left.withBytes({ $0.first }) {
    case UInt8(ascii: "?"): .unusable(reason: "The token belongs to another client.")
    case UInt8(ascii: "+"): .token(SecretBox(left.withBytes { Array($0.dropFirst()) }), isAlone: false)
    default: .token(left, isAlone: true)
    }
  }

  /// Registers a refresh token that another program has.
  package func know(_ token: [UInt8], of account: String) {
    _ = state.withLock { $0.sites[account, default: Site()].refresh.insert(token) }
  }

  fileprivate static func bytes(_ secret: SecretBox) -> [UInt8] { secret.withBytes { Array($0) } }
}

extension MemoryAccountService.State {
  fileprivate mutating func refresh(_ ask: AccountAsk, _ name: String) -> RefreshAnswer {
    guard ask.account.signIn.needsPerson else { return .granted(grant(to: name, refresh: nil)) }
    guard let token = ask.tokens?.refresh.map(MemoryAccountService.bytes) else {
      return .ended(.ended, code: "invalid_request")
    }
    guard sites[name]?.refresh.contains(token) == true else {
      if sites[name]?.used.contains(token) == true { sites[name]?.refresh = [] }
      return .ended(.ended, code: "invalid_grant")
    }
    guard rotation != .never else { return .granted(grant(to: name, refresh: nil)) }
    if rotation == .strict {
      sites[name]?.refresh.remove(token)
      sites[name]?.used.insert(token)
    }
    return .granted(grant(to: name, refresh: self.token("r")))
  }

  fileprivate mutating func token(_ kind: String) -> [UInt8] {
    count += 1
    return Array("\(kind)-\(count)".utf8)
  }

  fileprivate mutating func grant(to name: String, refresh: [UInt8]?) -> AccountGrant {
    let access = token("a")
    sites[name, default: MemoryAccountService.Site()].access.insert(access)
    if let refresh { sites[name]?.refresh.insert(refresh) }
    return AccountGrant(
      access: SecretBox(access + []), refresh: refresh.map { SecretBox($0) },
      lifetime: MemoryAccountService.lifetime)
  }
}
