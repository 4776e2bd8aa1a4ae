import KeyplanModel
import KeyplanPlanning
import KeyplanProviders
import Testing

@testable import KeyplanManifest

@Suite struct SecretTests {
  static let secrets = [
    "sk-ant-api03-Zq7mW2xK9vB4nT6yH8jL", "sk-proj-Zq7mW2xK9vB4nT6yH8jL", "sk-or-v1-9f86d081884c7d659a2feaa0c55ad015",
    "gsk_Zq7mW2xK9vB4nT6yH8jLZq7mW2xK9v", "AIzaZq7mW2xK9vB4nT6yH8jLZq7mW2xK9v", "ghp_Zq7mW2xK9vB4nT6yH8jLZq7mW2",
    "hf_Zq7mWxKxvBxnTxyHxjLZqmWxKvbZqmWxKvb", "AGE-SECRET-KEY-1QQPZQ7MW2XK9VB4NT6YH8JL",
  ]

  @Test("a secret is refused wherever it stands, once, with its place and never its value", arguments: secrets)
  func everywhere(secret: String) {
    let manifests = [
      "version: 1\nkeys:\n  k: { provider: generic, source: \(secret) }",
      "version: 1\nkeys:\n  k: { provider: generic, source: \"\(secret)\" }",
      "version: 1\nkeys:\n  \(secret): { provider: generic }",
      "version: 1\n\(secret): 1",
      "version: 1\nkeys:\n  k: { provider: \(secret), model: x }",
      "version: 1\nkeys:\n  k: { provider: generic, expires: \(secret) }",
      "version: 1\nkeys:\n  k: { provider: generic, source: { command: [curl, -H, \"Bearer \(secret)\"] } }",
      "version: 1\nactive: [\(secret)]",
      "version: 1\nrecipients: { a: \(secret) }",
      "version: 1\nkeys: {} # was \(secret)",
      "version: 1\nkeys: [ # \(secret)",
      "version: 1\nconnections: { bao: { type: vault, token: \(secret) } }",
      "version: 1\nproviders: { a: { check: { url: \"https://x.dev/?key=\(secret)\" } } }",
    ]
    for yaml in manifests {
      let text = text(yaml)
      let reading = reader.read(base: text)
      let found = reading.diagnostics.filter { $0.code == .secretInManifest }
      #expect(found.count == 1, "\(yaml) \(told(reading))")
      #expect(reading.manifest == nil)
      #expect(!told(reading).contains(secret), "\(told(reading))")
      #expect(found.first?.place?.width == secret.utf8.count)
      let lines = RedactedLines([text], of: reading, by: reader)
      for number in 1...yaml.split(separator: "\n").count {
        let line = lines[FileLocation(file: "keyplan.yaml", line: number, column: 1)]
        #expect(line?.contains(secret) == false)
      }
    }
  }

  @Test("an escape does not hide a secret") func escaped() {
    check(
      #"version: 1"# + "\n" + #"store: 1️⃣"sk-\x61nt-api03-Zq7mW2xK9vB4nT6yH8jL""#, Fault(.secretInManifest))
  }

  @Test("a secret in a quoted scalar is said once, whether it is found in the bytes, behind escapes or both")
  func quoted() {
    let secret = "sk-ant-api03-Zq7mW2xK9vB4nT6yH8jL"
    let escaped = "sk-\\x61nt-api03-Zq7mW2xK9vB4nT6yH8jL"
    check(
      """
      version: 1
      # 1️⃣\(secret)
      keys:
        a: { provider: generic, source: "env://A", model: "2️⃣\(secret)" }
        b: { provider: generic, source: "env://A", model: 3️⃣"\(escaped)" }
        c: { provider: generic, source: "env://A", model: "4️⃣\(secret)" }
      """, Fault(.secretInManifest), Fault(.secretInManifest), Fault(.secretInManifest),
      Fault(.secretInManifest))
  }

  /// Not one of these may be repeated, in words or in a quoted line, where a reference was to stand.
  @Test(
    "what stands in a reference's place is not repeated",
    arguments: [
      "9f86d081884c7d659a2feaa0c55ad015", "hunter2", "Tr0ub4dor&3", "ABCD1234EFGH5678", "env:9f86d081884c7d65",
      "$hunter2",
      "correct horse battery staple", "env:hunter2", "op:Zq7mW2xK9vB4nT6yH8jL", "ref+x:hunter2", "ABCDEFGHIJKLMNOP",
      "x://hunter2",
    ])
  func values(value: String) {
    let secret = value.split(separator: ":").last.map { $0.drop { "$/".contains($0) } } ?? ""
    for yaml in [
      "version: 1\nkeys:\n  k: { provider: generic, source: \"\(value)\" }",
      "version: 1\nkeys:\n  k: { provider: generic, source: [env://A, \(value)] }",
      "version: 1\nkeys:\n  k: { provdr: generic, source: \(value) }",
      "version: 1\nkeys:\n  k:\n    provider: generic\n    source: |\n      \(value)",
      "version: 1\nconnections: { bao: { type: vault, token: \(value) } }",
    ] {
      let text = text(yaml)
      let reading = reader.read(base: text)
      #expect(reading.manifest == nil)
      #expect(!told(reading).contains(secret), "\(told(reading))")
      let lines = RedactedLines([text], of: reading, by: reader)
      for place in reading.diagnostics.compactMap(\.place) {
        let line = lines[place]
        #expect(line?.contains(secret) == false, "\(line ?? "")")
      }
    }
  }

  @Test(
    "client ids, checksums, recipients and formats are no secrets",
    arguments: [
      "9f86d081884c7d659a2feaa0c55ad015", "6731de76-14a6-49ae-97bc-6eba6914391e", "1234.apps.googleusercontent.com",
      "sk-ant-", "sk-proj-…", "gsk_[A-Za-z0-9]{52}", "hf_model", "task_sk-shelf_hf_x",
      "graphf_Zq7mWxKxvBxnTxyHxjLZqmWxKvbZqmWxKvb", "AIza",
      "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p", "env://SK_ANT_API03_KEY_FOR_ALL_OF_US",
    ])
  func harmless(text: String) {
    #expect(SecretScanner(SecretPrefixes.builtIn).hits(in: Array("a: \(text)".utf8)).isEmpty)
  }
}
