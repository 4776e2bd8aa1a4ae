import KeyplanModel
import Testing

@testable import KeyplanManifest

@Suite struct QuotedLinesTests {
  private func quote(_ yaml: String, line: Int) -> String? {
    let text = text(yaml)
    let lines = RedactedLines([text], of: reader.read(base: text), by: reader)
    return lines[FileLocation(file: "keyplan.yaml", line: line, column: 1)]
  }

  @Test("names, references, recipients, models and dates are shown as they are")
  func harmless() {
    let lines = [
      "  openai-main: { provider: openai, source: env://OPENAI_API_KEY_FOR_PRODUCTION_2, expires: quarterly }",
      "  ci:  age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
      "  ada: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g",
      "  source: json://config/very/long/path/a1b2c3d4e5f6a7b8.json#/outer/inner",
      "  container: iCloud.com.example.application",
      "  address: https://bao.internal.example.com:8200/v1",
    ]
    for line in lines { #expect(quote("version: 1\nkeys:\n\(line)", line: 3) == line) }
  }

  @Test(
    "what could be a value is hidden, and the columns stay",
    arguments: [
      (line: "  a: { provider: openai, source: hunter2 }", shown: "  a: { provider: openai, source: ******* }"),
      (line: "  a: { provder: openai, source: \"hunter2\" }", shown: "  a: { provder: openai, source: ********* }"),
      (line: "  a: sk-ant-api03-aaaaaaaaaaaaaaaaaaaa # x", shown: "  a: ********************************* # x"),
      (line: "  # was 9f86d081884c7d659a2feaa0c55ad015", shown: "  # was ********************************"),
      (line: "  a: \"ä 9f86d081884c7d659a2feaa0c55ad015\"", shown: "  a: \"ä ********************************\""),
      (line: "  a: QWxhZGRpbjpvcGVuIHNlc2FtZQ==", shown: "  a: ****************************"),
    ])
  func hidden(line: String, shown: String) {
    #expect(quote("version: 1\nkeys:\n\(line)", line: 3) == shown)
  }

  @Test(
    "in a file that is no YAML only names, references and words of keyplan's own are shown",
    arguments: [
      (line: "  a: [ hunter2", shown: "  a: [ *******"),
      (line: "    source: hunter2", shown: "    source: *******"),
      (line: "    source: env://NAME", shown: "    source: env://NAME"),
      (line: "  a: { provider: openai, source: hunter2", shown: "  a: { provider: openai, source: *******"),
      (line: "    - hunter2", shown: "    - *******"),
    ])
  func broken(line: String, shown: String) {
    #expect(quote("version: 1\nkeys: [\n\(line)\n", line: 3) == shown)
  }

  @Test("what a terminal would obey is not shown, and lines end as in YAML")
  func control() {
    let text = text("a: \u{1B}[31m\u{202E}b\r\nsecond\rthird")
    let lines = RedactedLines([text], of: reader.read(base: text), by: reader)
    #expect(lines[FileLocation(file: "keyplan.yaml", line: 1, column: 1)]?.contains("\u{1B}") == false)
    #expect(lines[FileLocation(file: "keyplan.yaml", line: 2, column: 1)] == "second")
    #expect(lines[FileLocation(file: "keyplan.yaml", line: 3, column: 1)] == "third")
    #expect(lines[FileLocation(file: "keyplan.yaml", line: 4, column: 1)] == nil)
    #expect(lines[FileLocation(file: "other.yaml", line: 1, column: 1)] == nil)
  }
}
