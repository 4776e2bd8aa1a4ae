import KeyplanModel
import KeyplanReporting
import Testing

@Suite("The holders of locks, for people") struct LockTextTests {
  @Test("that left no record are not shown with a date of 1970")
  func unknown() {
    let holder = LockHolder(process: 0, host: "unknown", since: Moment(seconds: 0), command: "unknown")
    #expect(
      LockText.render(LockReport(place: "store.db", store: holder), style: Style())
        == "store.db is locked by a process that left no record of itself\n")
  }

  @Test("are shown without what a server could steer a terminal with, whatever it says of them")
  func foreign() {
    let holder = LockHolder(
      process: 1, host: "ho\u{202E}st\u{1B}[2J", since: Moment(seconds: 0), command: "pl\u{7}an", id: 7,
      job: "jo\u{200B}b")
    let report = LockReport(place: "postgres://ke\u{9B}ys/x", store: holder, accounts: [holder])
    for text in [
      LockText.render(report, style: Style()),
      LockText.render(LockReport(place: report.place, store: nil), style: Style()),
    ] {
      #expect(!text.unicodeScalars.contains { $0 != "\n" && Glyphs.isUnsafe($0) }, "\(text.debugDescription)")
    }
  }
}
