import Foundation
import KeyplanDocuments
import KeyplanProviders
import Testing

@testable import KeyplanOperations

/// The `.env` files of five kinds of projects. Above each name stands what is expected of it: `#= taken: KEY`, or `#= left:` and
/// how the reason begins.
@Suite struct ImportTests {
  static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  @Test(
    "names are taken or left as those who know the framework would",
    arguments: ["nextjs", "django", "rails", "laravel", "service"])
  func decided(framework: String) throws {
    let bytes = Array(try Data(contentsOf: Self.fixtures.appending(path: framework + ".env")))
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let document = try DotenvDocument(bytes)
    let index = VariableIndex(.builtIn)
    var expected: [String: Substring] = [:]
    for (above, line) in zip(lines, lines.dropFirst()) where above.hasPrefix("#= ") {
      expected[String(line.prefix { $0 != "=" })] = above.dropFirst(3)
    }
    #expect(expected.count > 15 && Set(document.names) == Set(expected.keys))
    for name in document.names {
      guard case .text(let value)? = document.value(at: name), let expectation = expected[name] else {
        Issue.record("\(name) has no value")
        continue
      }
      let found = FoundName(name, value, isVariable: true, index)
      let decision =
        SecretName.reasonToLeave(found, index).map { "left: " + $0 }
        ?? "taken: " + SecretName(found.variable, index).key
      #expect(decision.hasPrefix(expectation), "\(framework): \(name)")
    }
  }

  @Test("what the file of a known service holds is public by its name only while it does not look like a key")
  func bundled() {
    let index = VariableIndex(.builtIn)
    let value = Array("ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8)
    let found = FoundName("NEXT_PUBLIC_TOKEN", value, isVariable: true, index)
    #expect(SecretName.reasonToLeave(found, index)?.contains("looks like a key of github") == true)
  }
}
