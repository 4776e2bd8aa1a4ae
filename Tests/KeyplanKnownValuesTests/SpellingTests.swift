import Foundation
import KeyplanKnownValues
import KeyplanSecrets
import TestTools
import Testing

@Suite("Spellings of a value")
struct SpellingTests {
  private func texts(_ value: String, shortest: Int = 4, _ form: Spelling.Form? = nil) -> [String] {
    let limits = KnownValueLimits(shortest: shortest)
    return Spellings(of: SecretBox(Array(value.utf8)), within: limits).all
      .filter { form == nil || $0.form == form }
      .map { $0.text.withBytes { String(decoding: $0, as: UTF8.self) } }
  }

  @Test("Base64 is found wherever the value is in what was encoded, in both alphabets")
  func base64() {
    var random = Seeded(seed: 1)
    for _ in 0..<300 {
      let value = (0..<Int.random(in: 8...40, using: &random)).map { _ in UInt8.random(in: 1...255, using: &random) }
      let spellings = Spellings(of: SecretBox(value), within: KnownValueLimits(shortest: 6)).all
        .filter { $0.form == .base64 }
        .map { $0.text.withBytes { String(decoding: $0, as: UTF8.self) } }
      let before = (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let after = (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let standard = Data(before + value + after).base64EncodedString()
      let forURLs = standard.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      for text in [standard, forURLs] { #expect(spellings.contains { text.contains($0) }) }
      #expect(spellings.contains(Data(value).base64EncodedString()))
    }
  }

  @Test(
    "encodings that other programs print",
    arguments: [
      (value: "it's $5", form: Spelling.Form.shell, text: "it'\\''s $5"),
      (value: "it's $5", form: .shell, text: "it\\'s\\ \\$5"),
      (value: "a\"b$c`d", form: .shell, text: "a\\\"b\\$c\\`d"),
      (value: "a b/ü+", form: .url, text: "a%20b%2F%C3%BC%2B"),
      (value: "a b/ü+", form: .url, text: "a%20b%2f%c3%bc%2b"),
      (value: "a b/ü+", form: .url, text: "a+b%2F%C3%BC%2B"),
      (value: "say \"x\"/\u{1}\t🔑", form: .json, text: "say \\\"x\\\"/\\u0001\\t🔑"),
      (value: "say \"x\"/\u{1}\t🔑", form: .json, text: "say \\\"x\\\"\\/\\u0001\\t🔑"),
      (value: "say \"x\"/\u{1}\t🔑", form: .json, text: "say \\\"x\\\"/\\u0001\\t\\ud83d\\udd11"),
      (value: "Key!", form: .hexadecimal, text: "4b657921"), (value: "a/~ ", form: .hexadecimal, text: "612F7E20"),
    ])
  func encodings(value: String, form: Spelling.Form, text: String) {
    #expect(texts(value, form).contains(text))
  }

  @Test("what many texts have is no spelling: braces, boundaries of PEM, short lines")
  func lines() {
    let pem = "-----BEGIN PRIVATE KEY-----\nMIIEvAIBADAN\nxyz\n  c2Vjcg==  \r\n-----END PRIVATE KEY-----\n"
    #expect(texts(pem, .line) == ["MIIEvAIBADAN", "c2Vjcg=="])
    #expect(texts("{\n  \"a\": \"x\",\n}\n[\n],\n", .line) == [])
    #expect(texts("one line", .line) == [])
  }

  @Test("strings in JSON have their spellings too, with real line breaks")
  func members() {
    let account = #"""
      {
        "type": "service_account", "n": 123456, "list": [ { "deep": "inner \"one\"" } ], "no": null, "s": "abc",
        "private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvAIBADAN\n-----END PRIVATE KEY-----\n"
      }
      """#
    #expect(
      Set(texts(account, .member)) == [
        "service_account", "inner \"one\"", "-----BEGIN PRIVATE KEY-----\nMIIEvAIBADAN\n-----END PRIVATE KEY-----\n",
      ])
    #expect(texts(account, .line).contains("MIIEvAIBADAN"))
    #expect(!texts(account).contains { ["{", "}", "[", "]", "abc"].contains($0) })
  }

  @Test("each spelling is there once, none is too short, and a value that is too short has none")
  func limits() {
    for value in ["abcd", "a\nb\nabcd\nabcd", "{\"a\":\"abcd\",\"b\":\"abcd\"}", "AAAAAAAA"] {
      let all = texts(value)
      #expect(Set(all).count == all.count && all.allSatisfy { $0.utf8.count >= 4 } && all.first == value)
    }
    #expect(texts("abc") == [] && texts("abcde", shortest: 6) == [])
    let lines = (0..<10_000).map { "line number \($0)" }.joined(separator: "\n")
    let bounded = Spellings(of: SecretBox(Array(lines.utf8)), within: KnownValueLimits(shortest: 4, spellings: 100))
    #expect(bounded.all.count == 100)
  }

  @Test("what is in a document comes before the encodings of it, and what is left out is counted")
  func order() throws {
    let names = (0..<1000).map { "secret-token-\($0)" }
    let members = names.map { "\"\($0)\": \"\($0)\"" }.joined(separator: ",")
    let document = "{\(members),\"pem\":\"line-one\\nline-two\"}"
    let spellings = Spellings(of: SecretBox(Array(document.utf8)), within: KnownValueLimits(shortest: 4))
    let all = spellings.all.map { $0.text.withBytes { String(decoding: $0, as: UTF8.self) } }
    #expect(all.count == 4096 && Set(names + ["line-one", "line-two"]).isSubset(of: all))
    let first = try #require(spellings.all.firstIndex { $0.form.isEncoding })
    #expect(!spellings.all[first...].contains { !$0.form.isEncoding })
    let unbounded = Spellings(
      of: SecretBox(Array(document.utf8)), within: KnownValueLimits(shortest: 4, spellings: .max))
    #expect(unbounded.omitted == 0 && unbounded.all.count == 4096 + spellings.omitted && spellings.omitted > 1000)
  }
}
