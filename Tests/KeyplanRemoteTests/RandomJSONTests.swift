import Foundation
import KeyplanJSON
import KeyplanSecrets
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

@Suite struct RandomJSONTests {
  private static let tokens = [
    "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"\\u00e9\"", "\"\\ud83d\\udd11\"", "\"\\ud800\"", "\\", "\\n", "1",
    "-", "0",
    ".5", "e2", "true", "false", "null", " ", "\n", "é", "x", "\u{1}", "{\"a\":1}", "[null]", "\"\\\\\"", "\"b\":",
  ]

  @Test("what is read as JSON is JSON for Foundation too, with the same strings; nothing crashes")
  func compared() throws {
    var accepted = 0
    for seed in 0..<20_000 {
      var random = Seeded(seed: UInt64(seed))
      let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in Self.tokens.randomElement(using: &random) ?? ""
      }
      .joined()
      guard let answer = JSONAnswer(SecretBox(Array(text.utf8))) else { continue }
      accepted += 1
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      if let string = object as? String { #expect(answer.text(answer.root) == string, "\(text)") }
      if let array = object as? [Any] {
        #expect(answer.values(at: try AnswerPointer("/*"), in: answer.root).count == array.count, "\(text)")
      }
    }
    #expect(accepted > 500)
  }

  @Test("a document that is cut anywhere is not JSON")
  func cut() {
    let text = Array(#"{"a": ["\ud83d\udd11é", -1.5e3, true, null, {"b\\": {}}], "c": "x"}"#.utf8)
    for count in 0..<text.count { #expect(JSONAnswer(SecretBox(Array(text[..<count]))) == nil, "\(count)") }
    #expect(JSONAnswer(SecretBox(text)) != nil)
  }
}
