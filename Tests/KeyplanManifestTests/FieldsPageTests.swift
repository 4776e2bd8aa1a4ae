import Foundation
import Testing

@testable import KeyplanManifest

/// `docs/manifest-fields.md` is made from the rows of the manifest's places.
@Suite("The page of the manifest's fields")
struct FieldsPageTests {
  @Test("is what the rows make")
  func page() throws {
    let path = fixtures.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/manifest-fields.md")
    guard ProcessInfo.processInfo.environment["KEYPLAN_TEST_RECORD"] != "docs/manifest-fields.md" else {
      try Data(Self.text.utf8).write(to: path)
      Issue.record("manifest-fields.md was recorded: read it, and run again without KEYPLAN_TEST_RECORD")
      return
    }
    let written = try? String(contentsOf: path, encoding: .utf8)
    #expect(written == Self.text, "record it with KEYPLAN_TEST_RECORD=docs/manifest-fields.md")
  }

  @Test("explains every field in sentences on one line", arguments: Shape.all.map(\.what))
  func help(what: String) throws {
    let shape = try #require(Shape.all.first { $0.what == what })
    for row in shape.rows {
      #expect(row.help.hasSuffix(".") && !row.help.contains("\n") && !row.help.contains("|"), "\(what) \(row.name)")
    }
  }

  private static var text: String {
    var lines = [
      "# The fields of the manifest", "",
      "The fields of each section of `keyplan.yaml`. [The manifest](manifest.md) explains how they work together.",
      "The fields of connections and targets depend on their type: [services](services.md), [files](file-dialects.md).",
      "",
    ]
    for shape in Shape.all {
      lines += ["## \(heading(shape))", "", "| field | takes | | |", "|---|---|---|---|"]
      for row in shape.rows {
        lines.append("| `\(row.name)` | \(words(row.form)) | \(row.isRequired ? "required" : "") | \(row.help) |")
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  private static func heading(_ shape: Shape) -> String { shape.what.prefix(1).uppercased() + shape.what.dropFirst() }

  private static func link(_ shape: Shape) -> String {
    "[\(shape.what)](#\(shape.what.lowercased().replacing(" ", with: "-")))"
  }

  private static func words(_ form: Shape.Form) -> String {
    switch form {
    case .text: "text"
    case .flag: "`true` or `false`"
    case .duration: "a duration: `90d`"
    case .moment: "a date: `2027-03-01`"
    case .name: "a name"
    case .variable: "a variable's name"
    case .source: "a reference"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .list(of: .name): "a list of names"
    case .list: "a list of texts"
    case .defined(let name): defined[name] ?? "?"
    case .own(let words): words
    }
  }

  private static let defined: [String: String] = [
    "cache": link(.cache), "check": link(.check), "client": link(.client), "endpoints": link(.endpoints),
    "readers": "a list of names of recipients", "candidates": "a key's name, or a list of them",
    "publicKey": "a public key", "feed": "`active.SLOT`",
    "generatedFormat": "`hex`, `base64url`, `uuid`",
  ]
}
