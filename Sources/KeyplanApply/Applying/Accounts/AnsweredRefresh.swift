import KeyplanModel
import KeyplanPlanning
internal import KeyplanPorts
import KeyplanSecrets

/// The effect of a service's answer to a refresh on an account: the same for a step of a plan and for a command that needs a token now.
struct AnsweredRefresh {
  /// The new record, without a revision; nil if there is nothing to record.
  let record: AccountRecord?
  /// The tokens that are new; nil where those that are stored stay.
  let tokens: AccountTokens?
  /// The report about it.
  let kept: TokenResult

  /// - Parameters:
  ///   - ask: what the service was asked with.
  ///   - recorded: the record as it is now, whatever account it is about.
  ///   - live: the token that is good for a little while yet; for who can use it.
  init(
    _ answer: RefreshAnswer, to ask: AccountAsk, over recorded: AccountRecord?, live: SecretBox? = nil,
    at now: Moment
  ) {
    var next: SignInRecord?
    if let present = recorded, present.facts == ask.account.facts, let signIn = present.signIn {
      let (answered, tokens) = signIn.answered(answer, to: ask.tokens, at: now)
      var record = present
      record.signIn = answered
      switch answer {
      case .refused(let reason, let code): record.refuse(reason, code: code, at: now)
      case .granted, .ended: record.refusal = nil
      case .notAllowed, .unavailable: break
      }
      (next, self.record, self.tokens) = (answered, record, tokens)
    } else if case .granted(let grant) = answer, ask.record?.signIn == nil {
      let tokens = AccountTokens(access: grant.access, refresh: grant.refresh)
      self.record = AccountRecord(ask.account, signedIn: grant, tokens, over: recorded, at: now)
      self.tokens = tokens
    } else if case .refused(let reason, let code) = answer, ask.record?.signIn == nil, recorded?.signIn == nil,
      recorded.map({ $0.facts == ask.account.facts }) ?? true
    {
      var record = recorded ?? AccountRecord(revision: 0, facts: ask.account.facts)
      record.refuse(reason, code: code, at: now)
      (self.record, self.tokens) = (record, nil)
    } else {
      // Somebody signed it out over the request: it stays so.
      (record, tokens) = (nil, nil)
    }
    kept =
      switch answer {
      case .granted(let grant):
        // The token is stored, but the caller does not get it.
        if let need = record.flatMap({ PlannedAccount(ask.id, ask.account, $0).need(nil, at: now) }) {
          .needsPerson(need, code: "")
        } else {
          .refreshed(grant.access)
        }
      case .ended(let reason, let code):
        // The record knows more: whether an answer was lost before, or how long ago a person agreed.
        if let next, let end = next.ended {
          .needsPerson(
            AccountNeed(facts: ask.account.facts, reason: .init(end, ask.account.facts, next)), code: end.said)
        } else {
          .needsPerson(AccountNeed(facts: ask.account.facts, reason: .init(reason)), code: code)
        }
      case .refused(let reason, let code):
        .refused(
          record?.refusal ?? AccountRefusal(reason, code: code, since: now), ask.account.facts.service)
      case .notAllowed(let reason, let hint): .failed(reason: reason, hint: hint, isUnreachable: false, live: live)
      case .unavailable(let reason, _): .failed(reason: reason, hint: nil, isUnreachable: true, live: live)
      }
  }
}
