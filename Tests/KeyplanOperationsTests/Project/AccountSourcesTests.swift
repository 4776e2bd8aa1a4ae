import Foundation
import KeyplanModel
import KeyplanReporting
import Testing

/// The last section of `docs/calendar-accounts.md` is that of the services' documents.
@Suite("The sources of calendar accounts") struct AccountSourcesTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/calendar-accounts.md")

  @Test("are on their page")
  func page() throws {
    let section = AccountSourcesSection.render(AccountFacts.Service.allCases)
    #expect(try String(contentsOf: Self.page, encoding: .utf8).hasSuffix("\n\n" + section), "\(section)")
  }

  @Test("are about all that is exchanged, each with a version or a date", arguments: AccountFacts.Service.allCases)
  func complete(service: AccountFacts.Service) {
    #expect(Set(service.sources.flatMap(\.subjects)).isSuperset(of: [.request, .answer, .outcome]))
    for document in service.sources {
      #expect(document.name.contains(/\d/) && document.name.count > 8 && !document.subjects.isEmpty)
      #expect(!document.name.contains { "|\n<>".contains($0) }, "\(document.name)")
    }
  }
}
