import Foundation
import KeyplanReporting
import Testing

@testable import KeyplanOperations

/// `docs/check-sources.md` is generated from the descriptions of providers.
/// `KEYPLAN_TEST_RECORD=docs/check-sources.md` writes it, and fails.
@Suite("The page of the sources of checks") struct CheckSourcesPageTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/check-sources.md")

  @Test("is what the descriptions make")
  func page() throws {
    let made = CheckSourcesPage.render(KnownProviders.checkSources, KnownProviders.formatSources)
    guard ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] != "docs/check-sources.md" else {
      try Data(made.utf8).write(to: Self.page)
      Issue.record("check-sources.md was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
      return
    }
    let written = try? String(contentsOf: Self.page, encoding: .utf8)
    #expect(written == made, "record it with KEYPLAN_TEST_RECORD=docs/check-sources.md")
  }

  @Test("has each provider with a check once")
  func complete() {
    let providers = KnownProviders.checkSources.flatMap(\.providers)
    let checked = KnownProviders.all.filter { $0.check != .none }.map(\.name)
    #expect(providers.sorted() == checked && Set(providers).count == providers.count)
  }
}
