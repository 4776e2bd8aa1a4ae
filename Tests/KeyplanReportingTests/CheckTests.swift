import KeyplanReporting
import Testing

@Suite("Checks of doctor")
struct CheckTests {
  @Test(
    "an outage and a refused store keep their exit codes; anything else is an error",
    arguments: [
      (KeyplanReporting.ExitStatus.unreachable, KeyplanReporting.ExitStatus.unreachable),
      (.storeRefused, .storeRefused), (.locked, .failed),
      (.failed, .failed),
    ])
  func status(of failure: KeyplanReporting.ExitStatus, is status: KeyplanReporting.ExitStatus) {
    #expect(Check.error(.store, Failure(failure, "Server unreachable", "It is away.")).status == status)
  }
}
