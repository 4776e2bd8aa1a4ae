import Foundation
import Testing

/// The formats of `env`, read back by the programs that they are for, or by their documented rules where the program is not here.
@Suite("Formats of env")
struct EnvFormatTests {
  /// Without line breaks.
  private static let values = [
    "plain", "it's", "''", "ends in \\", "\\\\", "a\\'b\\", "$HOME ${X} $(true) `x`", "\"quoted\"", "a # b", "#",
    " blanks around ", "é ‘curly’ ‚low‛ “double” 🔑 e\u{301}", "tab\there", "a;b|c&d", "%PATH%", "!x", "=", "\u{1B}[0m",
  ]
  private static let lines = ["one\ntwo\n", "cr\r\nlf", "cr\rcr"]

  private static func has(_ shell: String) -> Bool { access("/usr/bin/" + shell, X_OK) == 0 }

  /// A project in which each value is applied under `V` and its number.
  private func project(_ values: [String]) throws -> Shell {
    let shell = try Shell()
    var manifest = ["version: 1", "keys:"]
    for index in values.indices {
      manifest.append("  k\(index): { provider: generic, variable: V\(index), source: 'json://v.json#/v\(index)' }")
    }
    try shell.write(manifest, to: "keyplan.yaml")
    let object = Dictionary(uniqueKeysWithValues: values.enumerated().map { ("v\($0)", $1) })
    let json = try JSONSerialization.data(withJSONObject: object)
    try shell.write([String(decoding: json, as: UTF8.self)], to: "v.json")
    let answer = try shell.run("keyplan init -q && keyplan apply --yes -q")
    try #require(answer.code == 0, "\(answer)")
    return shell
  }

  private func check(_ text: String, _ values: [String]) {
    let variables = Set(text.split(separator: "\0").map { Array($0.utf8) })
    for (index, value) in values.enumerated() {
      #expect(variables.contains(Array("V\(index)=\(value)".utf8)), "\(value.debugDescription)")
    }
  }

  @Test("fish reads back every value", .enabled(if: has("fish"), "needs fish"))
  func fish() throws {
    let values = Self.values + Self.lines
    for locale in ["C.UTF-8", "C"] {
      let answer = try project(values).run(
        "keyplan env --format fish | LC_ALL=\(locale) fish --no-config -c 'source; exec env -0'")
      try #require(answer.code == 0, "\(answer)")
      check(answer.out.joined(separator: "\n"), values)
    }
  }

  @Test("a POSIX shell reads back every value")
  func shell() throws {
    let values = Self.values + Self.lines
    let answer = try project(values).run("eval \"$(keyplan env)\"; exec env -0")
    check(answer.out.joined(separator: "\n"), values)
  }

  @Test("each line for PowerShell is one statement, and its literals stand for the value")
  func powershell() throws {
    let values = Self.values + Self.lines
    let answer = try project(values).run("keyplan env --format powershell")
    try #require(answer.code == 0 && answer.out.count == values.count)
    for line in answer.out {
      let parts = try #require(PowerShellLine(line), "\(line)")
      let index = try #require(Int(parts.name.dropFirst()))
      #expect(parts.value.utf8.elementsEqual(values[index].utf8), "\(line)")
    }
  }

  @Test("a plain dotenv file has each value up to the end of its line")
  func plain() throws {
    let answer = try project(Self.values).run("keyplan env --format dotenv-plain")
    try #require(answer.code == 0)
    check(answer.out.joined(separator: "\0"), Self.values)
  }

  @Test("a value that a plain dotenv file cannot contain is refused by its name", arguments: lines)
  func refused(value: String) throws {
    let answer = try project(["fine", value]).run("keyplan env --format dotenv-plain --width 0")
    #expect(answer.code == 1 && answer.out.isEmpty)
    #expect(answer.err.contains { $0.contains("V1") } && !answer.err.contains { $0.contains("V0") })
    #expect(!answer.err.joined(separator: "\n").contains("two"))
  }
}

/// A line as PowerShell's tokenizer reads it: in a single-quoted string two quotes stand for the second, and the typographic
/// quotes U+2018 to U+201B are quotes, too (about_Quoting_Rules; `CharExtensions.IsSingleQuote`).
private struct PowerShellLine {
  let name: String
  var value = ""

  init?(_ line: String) {
    var rest = line.unicodeScalars[...]
    func take(_ text: String) -> Bool {
      guard rest.starts(with: text.unicodeScalars) else { return false }
      rest = rest.dropFirst(text.unicodeScalars.count)
      return true
    }
    guard take("$env:") else { return nil }
    name = String(String.UnicodeScalarView(rest.prefix { $0 != " " }))
    rest = rest.drop { $0 != " " }
    guard take(" = ") else { return nil }
    while true {
      if take("[char]") {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        guard let number = UInt8(String(String.UnicodeScalarView(digits))) else { return nil }
        value.unicodeScalars.append(Unicode.Scalar(number))
        rest = rest.dropFirst(digits.count)
      } else {
        guard take("'") else { return nil }
        while let next = rest.popFirst() {
          guard Self.isQuote(next) else {
            value.unicodeScalars.append(next)
            continue
          }
          guard let second = rest.first, Self.isQuote(second) else { break }
          value.unicodeScalars.append(second)
          rest.removeFirst()
        }
      }
      if rest.isEmpty { return }
      guard take(" + ") else { return nil }
    }
  }

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "'" || ("\u{2018}"..."\u{201B}").contains(scalar)
  }
}
