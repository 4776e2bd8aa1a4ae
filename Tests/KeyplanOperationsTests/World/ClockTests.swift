import KeyplanModel
import KeyplanOperations
import Testing

@Suite("A clock")
struct ClockTests {
  @Test(
    "that is more than five minutes behind the last apply is doubted",
    arguments: [(-301, true), (-300, false), (5, false)])
  func behind(_ offset: Int64, isDoubted: Bool) throws {
    let applied = Moment(seconds: 1_795_000_000)
    let recorded = Recorded(store: StoreState(id: "1", serial: 1, epoch: 1, appliedAt: applied))
    let warning = Warning.clockBehind(recorded, at: Moment(seconds: applied.seconds + offset))
    #expect((warning != nil) == isDoubted)
    if let warning { #expect(warning.detail.contains("but the last apply was at")) }
    #expect(Warning.clockBehind(Recorded(), at: applied) == nil)
  }
}
