import KeyplanDocuments
import TestTools
import Testing

@Suite("Manifests in every style")
struct YAMLTextStylesTests {
  /// A manifest as data, and a way to write it.
  private struct Manifest: Equatable {
    var keys: [String]
    var active: [String]

    /// Each key has a comment of its own above or beside it, which names it.
    func written(_ style: inout Seeded) -> String {
      let inFlow = Int.random(in: 0..<3, using: &style)
      let indentation = String(repeating: " ", count: Int.random(in: 1...4, using: &style))
      let isSpaced = Bool.random(using: &style)
      var text = Bool.random(using: &style) ? "# yaml-language-server: $schema=x\n" : ""
      text +=
        ["version: 1\n", "'version' : 1 #\ttab\n", "version: &one 1\nalso: *one\n"].randomElement(using: &style) ?? ""
      if isSpaced { text += "\n" }
      switch inFlow {
      case 0 where !keys.isEmpty:
        text += "keys:\n"
        for key in keys {
          if Bool.random(using: &style) { text += "\(indentation)# above\t\(key)\n" }
          let quoted = [key, "'\(key)'", "\"\(key)\""].randomElement(using: &style) ?? key
          if Bool.random(using: &style) {
            text += "\(indentation)\(quoted): { provider: \(key) } # beside \(key)\n"
          } else {
            text += "\(indentation)\(quoted):\n\(indentation)  provider: \(key)\n\(indentation)  # below \(key)\n"
          }
          if isSpaced { text += "\n" }
        }
      case 1 where !keys.isEmpty:
        let hasFinal = Bool.random(using: &style)
        text += "keys: {\n"
        for key in keys {
          let comma = key != keys.last || hasFinal ? "," : ""
          text += "\(indentation)  \(key): { provider: \(key) }\(comma) # beside \(key)\n"
        }
        text += "\(indentation)}\n"
      default:
        let space = Bool.random(using: &style) ? " " : ""
        let entries = keys.map { "\($0): {provider: \($0)}" }.joined(separator: ",\(space)")
        text +=
          keys.isEmpty
          ? ["keys: {}\n", "keys:\n", ""].randomElement(using: &style) ?? "" : "keys: {\(space)\(entries)\(space)}\n"
      }
      if isSpaced, !text.hasSuffix("\n\n") { text += "\n" }
      text += "# of active\nactive:\n"
      switch Int.random(in: 0..<3, using: &style) {
      case 0 where active.count == 1: text += "  slot: \(active[0]) # slot\n"
      case 1: text += "  slot: # slot\n" + active.map { "\(indentation)  - \($0)\n" }.joined()
      default: text += "  slot: [\(active.joined(separator: ", "))] # slot\n"
      }
      text += ["", "# end\n", "...\n", "note: |\n  keys:\n    # no comment\n"].randomElement(using: &style) ?? ""
      if Bool.random(using: &style) { text.removeLast() }
      return Bool.random(using: &style) ? text.replacing("\n", with: "\r\n") : text
    }

    init(keys: [String], active: [String]) { (self.keys, self.active) = (keys, active) }

    /// Reads a manifest through the reader of values, which knows nothing of edits.
    init(_ bytes: [UInt8], knowing names: [String]) throws {
      let document = try YAMLDocument(bytes)
      keys = try names.filter { try document.text(at: "/keys/\($0)/provider") != nil }
      if let one = try document.text(at: "/active/slot") {
        active = [one]
      } else {
        active = try (0..<10).compactMap { try document.text(at: "/active/slot/\($0)") }
      }
    }
  }

  private static let names = ["alpha", "beta-2", "no", "d_4", "e5", "1e3", "new"]

  @Test("each edit gives the manifest that is meant, and keeps every line and comment that it does not concern")
  func edits() throws {
    var random = Seeded(seed: 11)
    for round in 0..<3000 {
      let keys = Self.names.dropLast().filter { _ in Bool.random(using: &random) }.map {
        $0 == "no" || $0 == "1e3" ? "k-\($0)" : $0
      }
      var meant = Manifest(keys: keys, active: keys.isEmpty ? ["none"] : Array(keys.shuffled(using: &random).prefix(3)))
      let before = meant.written(&random)
      var text = try YAMLText(Array(before.utf8))
      var concerned: [String] = []
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        try text.insert("new: { provider: new }", into: ["keys"], after: ["version", "also"])
        meant.keys.append("new")
      case 1:
        guard let key = keys.randomElement(using: &random) else { continue }
        try text.remove(["keys", key])
        meant.keys.removeAll { $0 == key }
        concerned = [key]
      case 2:
        guard let key = keys.randomElement(using: &random) else { continue }
        let at = meant.active.firstIndex(of: key)
        let isList = try YAMLDocument(Array(before.utf8)).value(at: "/active/slot") == .other(.array)
        try text.rename(
          ["keys", key], to: "new", references: at.map { [["active", "slot"] + (isList ? ["\($0)"] : [])] } ?? [])
        // What the keys say of their provider stays, and is what they are found by.
        if let at { meant.active[at] = "new" }
        #expect(try YAMLDocument(text.bytes).text(at: "/keys/new/provider") == key)
        meant.keys = meant.keys.filter { $0 != key } + ["new"]
        concerned = [key]
      default:
        meant.active = ["new"] + meant.active
        try text.replace(["active", "slot"], with: .list(meant.active))
      }
      let known = keys + ["new"]
      #expect(try Manifest(text.bytes, knowing: known) == meant, "round \(round):\n\(before)")
      let after = String(decoding: text.bytes, as: UTF8.self)
      #expect(after.contains("\r\n") == before.contains("\r\n") || !before.contains("\n"))
      #expect(!before.contains("\r\n") || !after.replacing("\r\n", with: "").contains("\n"))
      // Within brackets a comma may come or go with a neighbour.
      var rest = after.replacing("},", with: "}").split(separator: /\r?\n/).map(String.init)[...]
      for line in before.replacing("},", with: "}").split(separator: /\r?\n/).map(String.init)
      where isKept(line, concerned) {
        guard let found = rest.firstIndex(of: line) else {
          Issue.record("round \(round) lost \(line) of\n\(before)\nin\n\(after)")
          break
        }
        rest = rest[(found + 1)...]
      }
    }
  }

  /// Lines that no edit may touch: comments, and keys on lines of their own that are not concerned.
  private func isKept(_ line: String, _ concerned: [String]) -> Bool {
    if line.hasPrefix("keys:") || line.contains("slot:") || line.contains("- ") { return false }
    if concerned.contains(where: { line.contains($0) }) { return false }
    return true
  }
}
