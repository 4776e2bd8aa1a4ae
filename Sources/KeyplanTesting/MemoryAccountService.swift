public import KeyplanApply
public import KeyplanCore
public import KeyplanSecrets
import Synchronization

/// A calendar service in memory: the twin of every real one. It gives out tokens, rotates them as it is told to, and can be
/// made to lose answers, to say no and to be away.
public final class MemoryAccountService: AccountService {
  /// What becomes of a refresh token that is used.
  public enum Rotation: Sendable, CaseIterable {
    /// It stays, and no other is given: Google.
    case never
    /// Another one is given, and the old one works on: Microsoft.
    case lenient
    /// Another one is given, and a second use of the old one ends all: what RFC 9700 asks for.
    case strict
  }

  /// What goes wrong with an account from now on.
  public enum Fault: Sendable {
    /// It cannot be asked, for this reason.
    case unreachable(String)
    /// It lets nobody in, for this reason.
    case notAllowed(String)
    /// It does what it is asked, and its answers to refreshes are lost.
    case losesAnswers
    /// What was agreed to does not cover reading calendars.
    case scopeMissing
    /// It does not revoke tokens.
    case keepsTokens
    /// It answers for somebody else, of this name.
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

  /// An account as the service has it.
  fileprivate struct Site {
    var calendars: [AccountCalendar] = []
    var access: Set<[UInt8]> = []
    var refresh: Set<[UInt8]> = []
    var used: Set<[UInt8]> = []
    var password: [UInt8]?
    var fault: Fault?
  }

  /// Knows no account yet.
  public init(_ rotation: Rotation = .strict) { state = Mutex(State(rotation: rotation)) }

  /// How long its access tokens live.
  public static let lifetime = Interval(seconds: 3600)

  /// Gives an account these calendars; one that is not known yet is made.
  public func put(_ calendars: [AccountCalendar], at account: String) {
    state.withLock { $0.sites[account, default: Site()].calendars = calendars }
  }

  /// Gives an account a password.
  public func put(password: [UInt8], at account: String) {
    state.withLock { $0.sites[account, default: Site()].password = password }
  }

  /// Has an account fail from now on; nil mends it.
  public func fail(_ fault: Fault?, at account: String) {
    state.withLock { $0.sites[account, default: Site()].fault = fault }
  }

  /// Ends all tokens of an account, as its owner does in the account's settings.
  public func endAll(of account: String) {
    state.withLock { state in
      state.sites[account]?.access = []
      state.sites[account]?.refresh = []
    }
  }

  /// What a person gets who signs in now.
  public func signIn(_ account: String) -> AccountGrant {
    state.withLock { state in state.grant(to: account, refresh: state.token("r")) }
  }

  /// The accounts of which the next token was asked for, in order, also in vain.
  public var refreshes: [Identifier<Account>] { state.withLock { $0.refreshes } }

  /// The accounts whose tokens were given back.
  public var revocations: [Identifier<Account>] { state.withLock { $0.revocations } }

  /// How often calendars were asked for.
  public var asked: Int { state.withLock { $0.asked } }

  /// The calendars, to whoever has a token or the password.
  public func ask(_ ask: AccountAsk) async -> AccountFinding {
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

  /// The next tokens.
  public func refresh(_ ask: AccountAsk) async -> RefreshAnswer {
    state.withLock { state in
      let name = ask.account.facts.account
      state.refreshes.append(ask.id)
      let fault = state.sites[name, default: Site()].fault
      switch fault {
      case .unreachable(let reason): return .unavailable(reason: reason, isUnanswered: false)
      case .notAllowed(let reason): return .notAllowed(reason: reason, hint: nil)
      case .losesAnswers, .scopeMissing, .keepsTokens, .answersFor, nil: break
      }
      let answer = state.refresh(ask, name)
      if case .losesAnswers = fault { return .unavailable(reason: "No answer came.", isUnanswered: true) }
      return answer
    }
  }

  /// Ends the tokens.
  public func revoke(_ ask: AccountAsk) async -> RevocationAnswer {
    state.withLock { state in
      let name = ask.account.facts.account
      switch state.sites[name]?.fault {
      case .unreachable(let reason): return .unavailable(reason: reason)
      case .keepsTokens: return .refused(reason: "It keeps them.")
      case .notAllowed, .losesAnswers, .scopeMissing, .answersFor, nil: break
      }
      state.revocations.append(ask.id)
      state.sites[name]?.access = []
      state.sites[name]?.refresh = []
      return .done
    }
  }

  /// What is left is the token itself, unless it begins with a question mark, or with a plus sign, which stands for others.
  public func token(in left: SecretBox, for id: Identifier<Account>, _ account: Account) -> TokenLeft {
    switch left.withBytes({ $0.first }) {
    case UInt8(ascii: "?"): .unusable(reason: "It is another client's.")
    case UInt8(ascii: "+"): .token(SecretBox(left.withBytes { Array($0.dropFirst()) }), isAlone: false)
    default: .token(left, isAlone: true)
    }
  }

  /// Has the service know a refresh token that another program has.
  public func know(_ token: [UInt8], of account: String) {
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
