import Foundation
import KeyplanDocuments
import TestTools
import Testing

@Suite("Editing YAML of any kind")
struct YAMLTextDamageTests {
  /// All that the YAML test suite has, and a manifest cut anywhere.
  private static let texts: [[UInt8]] = {
    let suite = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("KeyplanYAMLTests/Fixtures/yaml-test-suite")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: suite.path)) ?? []
    let files = names.sorted().compactMap { try? Data(contentsOf: suite.appendingPathComponent("\($0)/in.yaml")) }
    let sample = Array(
      "\u{FEFF}# é\r\nkeys: {\r\n  a: { x: 'y' }, # c\r\n  ? b : [1, z, ],\r\n c }\r\nl:\r\n- &q s # c\r\n-\r\n- *q\r\no:\r\n  p: |+\r\n    t\r\n\r\n  q:\r\n  'r': \"u\"\r\n"
        .utf8)
    var random = Seeded(seed: 12)
    let telling = Array("\n\r\t #&*!|>'\"%@[]{},:?-~.a".utf8)
    let damaged = (0..<300).map { _ in
      var bytes = sample
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = bytes.indices.randomElement(using: &random) ?? 0
        if Bool.random(using: &random) { bytes.remove(at: index) }
        bytes.insert(telling.randomElement(using: &random) ?? 0, at: index)
      }
      return bytes
    }
    return damaged + files.map { Array($0) } + sample.indices.map { Array(sample[..<$0]) } + [sample]
      + sample.indices.map { Array(sample[..<$0].filter { $0 != 0x0A }) }
  }()

  /// The pointers to what is in a document, by trying names that occur in it.
  private func paths(_ bytes: [UInt8]) -> [[String]] {
    guard let document = try? YAMLDocument(bytes) else { return [] }
    let words = Set(
      String(decoding: bytes, as: UTF8.self).split { " \t\r\n:,[]{}'\"?&*#".contains($0) }.map(String.init)
        + document.names + ["0", "1", "2"])
    var found: [[String]] = [[]]
    for path in [[]] + words.sorted().map({ [$0] }) {
      for word in words.sorted().prefix(40) {
        let pointer = (path + [word]).map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        if (try? document.value(at: pointer)) != nil { found.append(path + [word]) }
      }
    }
    return found
  }

  /// Order and blanks say nothing: what is said stays, and a second time there is nothing to do.
  private func keepsContent(_ bytes: [UInt8]) throws {
    guard let text = try? YAMLText(bytes) else { return }
    func said(_ text: YAMLText) -> [String] { text.leaves().map { "\($0.path) \($0.text)" }.sorted() }
    func signs(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { !" \t\r\n".utf8.contains($0) } }
    func reverse(_ path: [String]) -> [String]? { text.form(of: path)?.names.sorted(by: >) }
    var ordered = text
    if (try? ordered.order(reverse)) != nil {
      #expect(said(ordered) == said(text) && signs(ordered.bytes).sorted() == signs(bytes).sorted())
      var again = ordered
      try again.order(reverse)
      #expect(again.bytes == ordered.bytes)
    }
    var tidied = text
    if (try? tidied.tidy()) != nil {
      #expect(said(tidied) == said(text) && signs(tidied.bytes) == signs(bytes))
      var again = tidied
      try again.tidy()
      #expect(again.bytes == tidied.bytes)
    }
  }

  @Test("each edit of each value is done so that it reads as meant, or refused") func everywhere() throws {
    #expect(Self.texts.count > 700)
    var (done, refused) = (0, 0)
    func attempt(_ bytes: [UInt8], _ edit: (inout YAMLText) throws -> Void, _ check: (YAMLDocument) throws -> Bool)
      throws
    {
      guard var text = try? YAMLText(bytes) else { return }
      do {
        try edit(&text)
        done += 1
        guard let document = try? YAMLDocument(text.bytes) else {
          // Only what was never readable by name may stay so.
          #expect((try? YAMLDocument(bytes)) == nil)
          return
        }
        let isGood = try check(document)
        #expect(
          isGood,
          "\(String(decoding: bytes, as: UTF8.self).debugDescription) became \(String(decoding: text.bytes, as: UTF8.self).debugDescription)"
        )
      } catch {
        refused += 1
        #expect(error is DocumentError)
        #expect(text.bytes == bytes)
      }
    }
    for bytes in Self.texts {
      try keepsContent(bytes)
      for path in paths(bytes) {
        func pointer(_ path: [String]) -> String {
          path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        }
        let here = pointer(path)
        try attempt(bytes) {
          try $0.insert("new: { a: [b] }", into: path)
        } _: {
          try $0.text(at: here + "/new/a/0") == "b"
        }
        try attempt(bytes) {
          try $0.insert("new: w", into: path + ["o"])
        } _: {
          try $0.text(at: here + "/o/new") == "w"
        }
        try attempt(bytes) {
          try $0.replace(path, with: .list(["v", "w"]))
        } _: {
          try $0.text(at: here + "/1") == "w"
        }
        try attempt(bytes) {
          try $0.replace(path, with: .scalar("v, w"))
        } _: {
          try $0.text(at: here) == "v, w"
        }
        try attempt(bytes) {
          try $0.append("{ a: b }", to: path + ["o"])
        } _: {
          try $0.value(at: here + "/o") == .other(.array)
        }
        guard !path.isEmpty else { continue }
        try attempt(bytes) {
          try $0.append("{ new: [w] }", to: path)
        } _: {
          try $0.value(at: here) == .other(.array)
        }
        try attempt(bytes) {
          try $0.nest(path, under: "new")
        } _: {
          try $0.value(at: here + "/new") != nil
        }
        if let yaml = try? YAMLText(bytes), case .list(let items) = yaml.form(of: path.dropLast()) {
          try attempt(bytes) {
            try $0.removeItem(path)
          } _: {
            try $0.value(at: pointer(path.dropLast()) + "/\(items.count - 1)") == nil
          }
        }
        try attempt(bytes) {
          try $0.remove(path)
        } _: {
          try $0.value(at: here) == nil
        }
        let renamed = pointer(path.dropLast() + ["new"])
        try attempt(bytes) {
          try $0.rename(path, to: "new")
        } _: {
          try $0.value(at: here) == nil && $0.value(at: renamed) != nil
        }
        for pointer in [here, here + "/new"] {
          guard var document = try? YAMLDocument(bytes), (try? document.set(pointer, to: "v")) != nil else { continue }
          guard let after = try? document.finished() else { continue }
          #expect(try YAMLDocument(after).text(at: pointer) == "v")
          try? document.remove(pointer)
          if let after = try? document.finished() {
            #expect(try YAMLDocument(after).value(at: pointer) == document.value(at: pointer))
          }
        }
      }
    }
    #expect(done > 1000 && refused > 1000, "\(done) done, \(refused) refused")
  }
}
