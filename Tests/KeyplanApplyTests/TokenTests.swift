import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import Testing

@testable import KeyplanApply

@Suite("What becomes of tokens when they are refreshed")
struct TokenTests {
  private let record = SignInRecord(
    signedInAt: start, access: .until(start), isRefreshable: true, missing: ["a"], epoch: 4)
  private let stored = AccountTokens(access: secret("old access"), refresh: secret("old refresh"))

  private func texts(_ tokens: AccountTokens?) -> [String?] {
    [tokens?.access, tokens?.refresh].map { $0.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } }
  }

  @Test("a refresh token is replaced by the new one, and never by nothing")
  func replacing() {
    let later = start + Interval(seconds: 60)
    let began = record.beginningRefresh(at: start)
    #expect(began.refreshBegan == start)
    for (given, kept) in [("new", "new"), (nil, "old refresh")] {
      let grant = AccountGrant(
        access: secret("access"), refresh: given.map { secret($0) }, lifetime: Interval(seconds: 3600))
      let (next, tokens) = began.answered(.granted(grant), to: stored, at: later)
      #expect(texts(tokens) == ["access", kept])
      #expect(next.access == .until(later + Interval(seconds: 3600)))
      #expect(next.isRefreshable)
      #expect(next.epoch == 5)
      #expect(next.refreshedAt == later)
      #expect(next.refreshBegan == nil)
      #expect(next.missing == ["a"], "the service did not say what it granted")
    }
  }

  @Test("an account that was signed out over the request stays so, and who waits for the token has it")
  func signedOut() {
    let account = Account(facts: google, signIn: .browser)
    let grant = AccountGrant(access: secret("access"), refresh: secret("next"), lifetime: Interval(seconds: 3600))
    let known = AccountRecord(revision: 1, facts: google, signIn: record)
    let ask = AccountAsk(id: named("home"), account: account, record: known, tokens: stored)
    let gone = AnsweredRefresh(.granted(grant), to: ask, over: nil, at: start)
    #expect(gone.record == nil && gone.tokens == nil)
    guard case .refreshed = gone.kept else {
      Issue.record("the token that was given is lost")
      return
    }
    // The first token of an account for which nobody has to sign in, and the next one of any.
    let first = AnsweredRefresh(
      .granted(grant), to: AccountAsk(id: named("home"), account: account), over: nil, at: start)
    #expect(first.record?.signIn?.epoch == 1 && texts(first.tokens) == ["access", "next"])
    let next = AnsweredRefresh(.granted(grant), to: ask, over: known, at: start)
    #expect(next.record?.signIn?.epoch == 5 && texts(next.tokens) == ["access", "next"])
  }

  @Test("a service that wants the next refresh early is asked early, and the token stays good meanwhile")
  func early() {
    let hour = Interval(seconds: 3600)
    let hinted = AccountGrant(
      access: secret("a"), refresh: nil, lifetime: hour, refreshHint: Interval(seconds: 1800))
    for next in [
      SignInRecord.signingIn(hinted, isTesting: false, at: start),
      record.answered(.granted(hinted), to: stored, at: start).record,
    ] {
      #expect(!next.isDue(at: start + Interval(seconds: 1799)))
      #expect(next.isDue(at: start + Interval(seconds: 1800)))
      #expect(next.isLive(at: start + Interval(seconds: 3599)))
      let plain = AccountGrant(access: secret("b"), refresh: nil, lifetime: hour)
      #expect(!next.answered(.granted(plain), to: stored, at: start).record.isDue(at: start + Interval(seconds: 1800)))
    }
  }

  @Test("a token that was got while the clock was ahead is not taken for good once the clock is right again")
  func ahead() {
    let got = record.answered(
      .granted(AccountGrant(access: secret("a"), refresh: nil, lifetime: Interval(seconds: 3600))), to: stored,
      at: start + .days(1)
    ).record
    #expect(got.isLive(at: start + .days(1)) && !got.isDue(at: start + .days(1)))
    // A clock that is put right by a little changes nothing.
    #expect(got.isLive(at: start + .days(1) - Interval(seconds: 60)))
    #expect(!got.isLive(at: start) && got.isDue(at: start))
  }

  @Test("neither a no nor an outage touches what is stored")
  func keeping() {
    let began = record.beginningRefresh(at: start)
    let (ended, none) = began.answered(.ended(.ended, code: "invalid_grant"), to: stored, at: start)
    #expect(none == nil)
    #expect(ended.ended == AccountEnd(.ended, code: "invalid_grant", at: start))
    #expect(ended.isRefreshable)
    #expect(!ended.isLive(at: start - Interval(seconds: 9)))
    let (busy, kept) = began.answered(.unavailable(reason: "Busy.", isUnanswered: false), to: stored, at: start)
    #expect(kept == nil)
    #expect(busy == record)
    #expect(began.answered(.notAllowed(reason: "No.", hint: nil), to: stored, at: start).record == record)
  }

  @Test("a no after an answer that was lost is told as that")
  func lost() {
    let died = record.beginningRefresh(at: start).beginningRefresh(at: start + Interval(seconds: 9))
    let silent = record.beginningRefresh(at: start)
      .answered(.unavailable(reason: "No answer.", isUnanswered: true), to: stored, at: start).record
    #expect(silent.refreshBegan == nil)
    for record in [died, silent.beginningRefresh(at: start + Interval(seconds: 9))] {
      #expect(record.unanswered == start)
      let no = record.answered(.ended(.ended, code: "invalid_grant"), to: stored, at: start).record
      #expect(no.ended?.reason == .rotationLost)
      let grant = AccountGrant(access: secret("a"), refresh: nil, lifetime: nil)
      let well = record.answered(.granted(grant), to: stored, at: start).record
      #expect(well.unanswered == nil)
      #expect(well.access == .unlimited)
    }
  }
}
