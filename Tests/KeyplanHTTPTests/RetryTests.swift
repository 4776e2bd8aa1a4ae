import Testing

@testable import KeyplanHTTP

@Suite struct RetryTests {
  private let policy = RetryPolicy(attempts: 4, firstPause: .milliseconds(400))

  @Test(
    "what passes is waited for, longer each time; luck adds up to as much again",
    arguments: [
      (1, 0.0, 200), (1, 1.0, 400), (2, 0.0, 400), (2, 1.0, 800), (3, 0.0, 800), (3, 0.5, 1200),
    ])
  func backOff(sent: Int, jitter: Double, milliseconds: Int) {
    for status in [408, 429, 500, 502, 503, 504, 520, 529] {
      let pause = policy.pause(
        sent: sent, status: status, isRepeatable: true, asked: nil, left: .seconds(30), jitter: jitter)
      #expect(pause == .milliseconds(milliseconds), "\(status)")
    }
  }

  @Test("answers that will not change are taken as they are")
  func final() {
    for status in [200, 204, 301, 307, 400, 401, 403, 404, 409, 410, 412, 421, 428, 501, 505] {
      #expect(
        policy.pause(sent: 1, status: status, isRepeatable: true, asked: nil, left: .seconds(30), jitter: 0) == nil)
    }
  }

  @Test("what must not happen twice is sent again only where it did not happen")
  func once() {
    for status in [408, 429, 500, 502, 503, 504, 529] {
      let pause = policy.pause(sent: 1, status: status, isRepeatable: false, asked: nil, left: .seconds(30), jitter: 0)
      #expect((pause != nil) == [408, 429, 503].contains(status), "\(status)")
    }
  }

  @Test("no more than so often")
  func attempts() {
    #expect(policy.pause(sent: 3, status: 503, isRepeatable: true, asked: nil, left: .seconds(30), jitter: 0) != nil)
    #expect(policy.pause(sent: 4, status: 503, isRepeatable: true, asked: nil, left: .seconds(30), jitter: 0) == nil)
    #expect(policy.pause(sent: 4, status: 429, isRepeatable: true, asked: .zero, left: .seconds(30), jitter: 0) == nil)
  }

  @Test("a pause that was asked for is kept in full, or not begun; luck only lengthens it")
  func asked() {
    func pause(_ asked: Duration, left: Duration, jitter: Double = 0, status: Int = 429) -> Duration? {
      policy.pause(sent: 1, status: status, isRepeatable: true, asked: asked, left: left, jitter: jitter)
    }
    #expect(pause(.seconds(5), left: .seconds(30)) == .seconds(5))
    #expect(pause(.seconds(5), left: .seconds(30), jitter: 1) == .milliseconds(5100))
    #expect(pause(.seconds(30), left: .seconds(30)) == nil)
    #expect(pause(.seconds(86_400), left: .seconds(30)) == nil)
    #expect(pause(.zero, left: .seconds(30)) == .zero)
    // A service may say so inside an answer that is a success to HTTP.
    #expect(pause(.seconds(1), left: .seconds(30), status: 200) == .seconds(1))
  }

  @Test("back-off does not run past the deadline")
  func deadline() {
    let pause = policy.pause(
      sent: 1, status: 503, isRepeatable: true, asked: nil, left: .milliseconds(200), jitter: 0)
    #expect(pause == nil)
  }

  @Test(
    "Retry-After is seconds or a date, against the service's clock where it tells it",
    arguments: [
      ("120", nil, 120), ("0", nil, 0), ("1.5", nil, 1.5), ("99999999999999999999", nil, 86_400),
      ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 37), ("Sun, 06 Nov 1994 08:48:00 GMT", nil, 0),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:30 GMT", 7),
      ("Sun, 06 Nov 1994 08:49:37 GMT", "nonsense", 37),
      ("soon", nil, nil), ("", nil, nil), ("-1", nil, nil), ("1e3", nil, nil), ("1.2.3", nil, nil), (".", nil, nil),
      ("Sunday, 06-Nov-94 08:49:37 GMT", nil, nil), ("Sun, 06 Nov 1994 25:00:00 GMT", nil, nil),
      ("Sun, 99 Nov 1994 08:49:37 GMT", nil, nil), ("Sun, 06 Nov 1994 08:49 GMT", nil, nil),
    ] as [(String, String?, Double?)])
  func header(text: String, date: String?, seconds: Double?) {
    // 1994-11-06 08:49:00
    #expect(RetryAfter.pause(text, date: date, now: 784_111_740) == seconds.map { .seconds($0) })
  }

  @Test(
    "dates are counted from 1970",
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
      ("Sat, 21 Nov 2026 07:00:00 GMT", 1_795_244_400), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ] as [(String, Int64)])
  func dates(text: String, seconds: Int64) { #expect(RetryAfter.seconds(ofDate: text) == seconds) }
}
