import Foundation
import Testing

@testable import KeyplanModel

/// The tables of `docs/variable-names.md` are made from `VariableFamilies`. `KEYPLAN_TEST_RECORD=docs/variable-names.md` writes them, and
/// fails.
@Suite("The page of variables' names") struct VariableNamesPageTests {
  private static let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "docs/variable-names.md")

  private static func table(_ risk: VariableName.Risk) -> String {
    func list(_ names: String) -> String {
      names.split(whereSeparator: \.isWhitespace).map { "`\($0)`" }.joined(separator: " ")
    }
    let rows = VariableFamilies.all.filter { $0.risk == risk }.map { family in
      let others = family.unlessSecret.isEmpty ? "" : "; except secrets: \(list(family.unlessSecret))"
      return "| \(family.readers) | \(list(family.names))\(others) |\n"
    }
    return "| read by | names |\n|---|---|\n" + rows.joined()
  }

  @Test("has the names that the program has")
  func tables() throws {
    let written = try String(contentsOf: Self.path, encoding: .utf8)
    var made = written
    for (risk, heading) in [(VariableName.Risk.programs, "## Programs"), (.addresses, "## Addresses")] {
      let section = try #require(made.range(of: heading + "\n"), "\(heading)")
      let rest = made[section.upperBound...]
      let start = try #require(rest.range(of: "| read by |")).lowerBound
      let end = rest[start...].range(of: "|\n\n")?.lowerBound ?? rest.index(rest.endIndex, offsetBy: -2)
      made.replaceSubrange(start..<rest.index(end, offsetBy: 2), with: Self.table(risk))
    }
    guard ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] == "docs/variable-names.md" else {
      #expect(written == made, "record it with KEYPLAN_TEST_RECORD=docs/variable-names.md")
      return
    }
    try Data(made.utf8).write(to: Self.path)
    Issue.record("the page was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
  }

  @Test("names the endings that are free, and those that are secrets")
  func endings() throws {
    let page = try String(contentsOf: Self.path, encoding: .utf8).replacing("\n", with: " ")
    for endings in [VariableFamilies.credentialEndings, VariableFamilies.secretEndings] {
      let names = endings.map { "`\($0)`" }
      let list = names.dropLast().joined(separator: ", ") + " or \(names.last ?? "")"
      #expect(page.contains(list), "\(list)")
    }
  }
}
