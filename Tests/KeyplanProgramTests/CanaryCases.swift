import Foundation
import Testing

/// Every command, where it works and where it fails.
extension CanaryProject {
  static let cases = working + values + failing + mistaken

  private static let everything: Set<String> = ["*"]

  private static let working = [
    CanaryCase("init anew", "init") { sandbox in
      for path in [sandbox.project + "/.keyplan", sandbox.project + "/keyplan.lock", sandbox.home + "/.config"] {
        try FileManager.default.removeItem(atPath: path)
      }
      try sandbox.write("version: 1\nkeys: {}\n", to: "keyplan.yaml")
    },
    CanaryCase("init again", "init"),
    CanaryCase("validate", "validate"),
    CanaryCase("plan without changes", "plan"),
    CanaryCase("plan with changes", "plan", prepare: change),
    CanaryCase("plan in Markdown", "plan --format markdown", prepare: change),
    CanaryCase("plan to a file", "plan --out p.kp", prepare: change),
    CanaryCase("apply", "apply --yes", prepare: change),
    CanaryCase("apply a saved plan", "apply p.kp") { sandbox in
      try change(sandbox)
      _ = try sandbox.keyplan("plan", "--out", "p.kp")
    },
    CanaryCase("apply asks nobody", "apply", [64], prepare: change),
    CanaryCase("drift", "drift", [2], prepare: tamper),
    CanaryCase("code scanning", "drift --format sarif", [2], prepare: tamper),
    CanaryCase("test reports", "drift --format junit", [2], prepare: change),
    CanaryCase("a page", "report --html report.html --json", prepare: tamper),
    CanaryCase("metrics", "metrics --out keyplan.prom", prepare: change),
    CanaryCase("drift at the source", "drift", [2], prepare: change),
    CanaryCase("take back what was changed at a target", "apply --yes", prepare: tamper),
    CanaryCase("show", "show"), CanaryCase("show a key", "show key.beta"),
    CanaryCase("show a target", "show target.web"),
    CanaryCase("show a saved plan", "show p.kp") { sandbox in
      try change(sandbox)
      _ = try sandbox.keyplan("plan", "--out", "p.kp")
    },
    CanaryCase("keys", "keys list"),
    CanaryCase("keys set", "keys set given --yes", input: .text(text("newer"))),
    CanaryCase("keys set from a file", "keys set given --yes --from-file v.txt", allowed: ["project/v.txt": ["newer"]])
    {
      try $0.write(text("newer"), to: "v.txt")
    },
    CanaryCase("accept", "accept target.app.DELTA --yes", prepare: tamper),
    CanaryCase("accept asks nobody", "accept target.app.DELTA", [64], prepare: tamper),
    CanaryCase("accept what a source gives", "accept delta --yes", prepare: change),
    CanaryCase("the history of records", "keys history") { sandbox in
      try change(sandbox)
      _ = try sandbox.keyplan("apply", "--yes")
    },
    CanaryCase("roll a value back", "keys rollback delta --yes") { sandbox in
      try change(sandbox)
      _ = try sandbox.keyplan("apply", "--yes")
    },
    CanaryCase("rename a record", "keys move given other --yes"),
    CanaryCase("forget a record", "keys forget gamma --yes"),
    CanaryCase("restore a record", "keys rollback gamma --yes") { sandbox in
      _ = try sandbox.keyplan("keys", "forget", "gamma", "--yes")
    },
    CanaryCase("keys set a random value", "keys set given --generate --yes"),
    CanaryCase("rotate what is not generated", "keys rotate given alpha --yes", [1]),
    CanaryCase("revoke a key", "keys revoke alpha --yes --leave-without"),
    CanaryCase("revoke asks nobody", "keys revoke given", [64]),
    CanaryCase("revoke a key again", "keys revoke alpha --yes --store-only", prepare: revoke),
    CanaryCase("plan with a revoked key", "plan", [0, 1], prepare: revoke),
    CanaryCase("apply with a revoked key", "apply --yes", [0, 1], prepare: revoke),
    CanaryCase("drift with a revoked key", "drift", [2], prepare: revoke),
    CanaryCase("show a revoked key", "show key.alpha", prepare: revoke),
    CanaryCase("get a revoked key", "get alpha", [1], prepare: revoke),
    CanaryCase("env with a revoked key", "env", [1], prepare: revoke),
    CanaryCase("run with a revoked key", "run -- /bin/true", [125], prepare: revoke),
    CanaryCase("purge earlier values", "keys purge delta --yes", prepare: replace),
    CanaryCase("purge asks nobody", "keys purge delta", [64], prepare: replace),
    CanaryCase("purge a key", "keys purge gamma --all --allow-forget --yes"),
    CanaryCase("purge what there is not", "keys purge alpha --yes"),
    CanaryCase("purge a revoked key", "keys purge alpha --all --allow-forget --yes", prepare: revoke),
    CanaryCase("keys add", "keys add fresh --provider openai --from env://FRESH --dry-run", [0, 64]),
    CanaryCase("keys rename", "keys rename alpha fresh", [0, 64]),
    CanaryCase("fmt", "fmt", [0, 64]),
    CanaryCase("identity show", "identity show"),
    CanaryCase("unlock", "unlock"),
    CanaryCase("move the store", "store move --to moved/store.db --yes", [0, 64]),
    CanaryCase("doctor", "doctor"),
    CanaryCase("backends", "backends"),
    CanaryCase("providers", "providers"),
    CanaryCase("drift lets an outage pass", "drift --unreachable-after 2h", allowed: ["project/epsilon.sh": ["newer"]])
    {
      try $0.write("echo \(text("newer")); echo \(text("newer")) >&2; exit 3\n", to: "epsilon.sh")
    },
    CanaryCase("a baseline", "drift --write-baseline known --until 2099-01-01", prepare: tamper),
    CanaryCase("a schema", "schema plan", [0, 64]), CanaryCase("completions", "completions zsh", [0, 64]),
    CanaryCase("names to complete", "---completion get -- positional@0 2 0 keyplan get", [0, 64]),
    CanaryCase(
      "init from a dotenv file", "init --from all.env --manifest other.yaml", allowed: ["project/all.env": everything]
    ) {
      try $0.write(importable { "\($0)_API_KEY=\"\($1)\"\n" } + "\(text("planted"))==\n", to: "all.env")
    },
    CanaryCase(
      "init from a property list", "init --from Secrets.plist --manifest other.yaml",
      allowed: ["project/Secrets.plist": everything]
    ) {
      let pairs = importable { "<key>\($0)APIKey</key><string>\($1)</string>" }
      try $0.write("<plist version=\"1.0\"><dict>\(pairs)</dict></plist>\n", to: "Secrets.plist")
    },
    CanaryCase("a plan on GitHub", "plan --format github", allowed: [:]) { sandbox in
      try change(sandbox)
      for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] { sandbox.variables[name] = sandbox.root + "/tmp/" + name }
    },
    CanaryCase("drift on GitHub", "drift --format github", [2]) { sandbox in
      try tamper(sandbox)
      sandbox.variables["GITHUB_STEP_SUMMARY"] = sandbox.root + "/tmp/summary"
    },
  ]

  /// The manifest of the working directory by an absolute path, as helpers require.
  private static let manifestHere = "--manifest /proc/self/cwd/keyplan.yaml"

  private static let values = [
    CanaryCase("get", "get alpha", allowed: ["out": ["env"]]),
    CanaryCase("get the active one", "get active.main", allowed: ["out": ["env"]]),
    CanaryCase("env", "env", allowed: ["out": exported]),
    CanaryCase("env as dotenv", "env --format dotenv --only DELTA", allowed: ["out": ["json"]]),
    CanaryCase("env as JSON", "env --format json", allowed: ["out": exported]),
    CanaryCase("env of a target", "env --target app", allowed: ["out": ["env", "json", "command"]]),
    CanaryCase(
      "env for GitHub", "env --format github",
      allowed: ["out": exported, "tmp/github": exported, "tmp/github.keyplan-new": exported]
    ) { sandbox in
      sandbox.variables["GITHUB_ENV"] = sandbox.root + "/tmp/github"
      try Data().write(to: URL(filePath: sandbox.root + "/tmp/github"))
    },
    CanaryCase("env for GitHub without its file", "env --format github", [1]),
    CanaryCase(
      "a helper for git", "helper git alpha --host h.example \(manifestHere) get",
      input: .text("protocol=https\nhost=h.example\n\n"), allowed: ["out": ["env"]]),
    CanaryCase(
      "a helper for git that is asked for another host", "helper git alpha --host h.example \(manifestHere) get",
      input: .text("protocol=https\nhost=evil.example\npassword=\(text("planted"))\n\n")),
    CanaryCase(
      "a helper for git that is to store", "helper git alpha --host h.example \(manifestHere) store",
      input: .text("protocol=https\nhost=h.example\npassword=\(text("planted"))\n\n")),
    CanaryCase(
      "a helper for docker", "helper docker alpha --host h.example --username ci \(manifestHere) get",
      input: .text("h.example"), allowed: ["out": ["env"]]),
    CanaryCase(
      "a helper for docker that is to store",
      "helper docker alpha --host h.example --username ci \(manifestHere) store",
      input: .text("{\"ServerURL\":\"h.example\",\"Secret\":\"\(text("planted"))\"}")),
    CanaryCase(
      "a helper for AWS", "helper aws --access-key-id alpha --secret-access-key delta \(manifestHere)",
      allowed: ["out": ["env", "json"]]),
    CanaryCase(
      "a helper for headers", "helper headers beta --host h.example \(manifestHere)", allowed: ["out": ["dotenv"]]),
    CanaryCase("a helper with a value of several lines", "helper headers gamma --host h.example \(manifestHere)", [1]),
    CanaryCase(
      "a helper with a value in the place of a name",
      "helper aws --access-key-id alpha --secret-access-key \(text("planted"))/+ \(manifestHere)", [64]),
    CanaryCase("the setup of a helper", "helper headers alpha --host h.example --setup"),
    CanaryCase("run", "run -- /bin/true", allowed: ["start": exported.union(["planted"])]),
    CanaryCase("run what is not there", "run -- /bin/nothing", [127], allowed: ["start": exported.union(["planted"])]),
  ]

  private static let failing = [
    CanaryCase("the identity in a variable", "plan", prepare: putIdentityInVariable),
    CanaryCase(
      "run with the identity in a variable", "run -- /bin/true", allowed: ["start": exported.union(["planted"])],
      prepare: putIdentityInVariable),
    CanaryCase("a broken dotenv source", "apply --yes", [1, 3], allowed: ["project/sources.env": ["newer"]]) {
      try $0.write("BETA=\"\(text("newer"))\nOTHER='\n", to: "sources.env")
    },
    CanaryCase("a broken JSON source", "apply --yes", [1, 3]) {
      try $0.write("{\"deep\": {\"delta\": \"\(text("newer"))\", \"x\": tru}}", to: "sources.json")
    },
    CanaryCase("a JSON source of another shape", "apply --yes") {
      try $0.write("{\"deep\": \"\(text("newer"))\"}", to: "sources.json")
    },
    CanaryCase("a file source that is a folder", "apply --yes", [0, 1, 3, 8]) { sandbox in
      try FileManager.default.removeItem(atPath: sandbox.project + "/gamma.txt")
      try FileManager.default.createDirectory(
        atPath: sandbox.project + "/gamma.txt", withIntermediateDirectories: false)
    },
    CanaryCase("a command source that fails and talks", "plan", [1, 8], allowed: ["project/epsilon.sh": ["newer"]]) {
      try $0.write("echo \(text("newer")); echo \(text("newer")) >&2; exit 3\n", to: "epsilon.sh")
    },
    CanaryCase("a command source that never ends", "plan", [1, 8], allowed: ["project/epsilon.sh": ["newer"]]) {
      try $0.write(
        manifest.replacing("variables: [NAMED]", with: "variables: [NAMED], timeout: 1s"), to: "keyplan.yaml")
      try #require($0.keyplan("apply", "--yes").code == 0)
      try $0.write("echo \(text("newer")); exec /bin/sleep 20\n", to: "epsilon.sh")
    },
    CanaryCase("a command source with arguments that are new", "plan", [0, 1]) {
      try $0.write(manifest.replacing("epsilon.sh]", with: "epsilon.sh, more]"), to: "keyplan.yaml")
    },
    CanaryCase("a broken target", "apply --yes", [1, 3]) {
      try change($0)
      try $0.write("{\"gamma\": \"\(text("newer"))\", \"x\": tru", to: "web.json")
    },
    CanaryCase("a target that is a link", "apply --yes", [0, 1, 3], allowed: ["tmp/elsewhere": everything]) { sandbox in
      try change(sandbox)
      try FileManager.default.moveItem(atPath: sandbox.project + "/web.json", toPath: sandbox.root + "/tmp/elsewhere")
      symlink(sandbox.root + "/tmp/elsewhere", sandbox.project + "/web.json")
    },
    CanaryCase("a target that is somebody else's", "apply --yes", [1, 3, 7]) { sandbox in
      try sandbox.write("FRESH=\(text("newer"))\n", to: "app.env")
      try sandbox.write(
        manifest.replacing("DELTA: delta, EPSILON", with: "FRESH: delta, EPSILON"), to: "keyplan.yaml")
    },
    CanaryCase("another identity", "plan --identity other.txt", [9], allowed: ["project/other.txt": ["other identity"]])
    {
      try $0.write("AGE-SECRET-KEY-1\(text("other identity"))\n", to: "other.txt")
      chmod($0.project + "/other.txt", 0o600)
    },
    CanaryCase("an identity that is torn", "plan --identity o.txt", [9], allowed: ["project/o.txt": ["other identity"]])
    {
      try $0.write("AGE-SECRET-KEY-1\(text("other identity").dropLast())\n", to: "o.txt")
      chmod($0.project + "/o.txt", 0o600)
    },
    CanaryCase("another identity in a variable", "plan", [9]) {
      $0.variables["KEYPLAN_IDENTITY"] = "AGE-SECRET-KEY-1" + text("other identity")
    },
    CanaryCase("an identity file's content in a variable", "plan", [9]) {
      $0.variables["KEYPLAN_IDENTITY"] =
        "# created: 2026\n# public key: age1\nAGE-SECRET-KEY-1\(text("other identity"))\n"
    },
    CanaryCase("an identity with a space before it in a variable", "drift", [9]) {
      $0.variables["KEYPLAN_IDENTITY"] = " AGE-SECRET-KEY-1" + text("other identity")
    },
    CanaryCase("a store that was tampered with", "get alpha", [9], prepare: damage),
    CanaryCase("a plan for a store that was tampered with", "plan", [9], prepare: damage),
    CanaryCase("a saved plan that was tampered with", "apply p.kp", [7]) { sandbox in
      try change(sandbox)
      _ = try sandbox.keyplan("plan", "--out", "p.kp")
      let plan = String(decoding: sandbox.content(of: "p.kp") ?? [], as: UTF8.self)
      try sandbox.write(plan.replacing("alpha", with: "alpho"), to: "p.kp")
    },
    CanaryCase("nobody has the key", "get nothing", [1]),
    CanaryCase("doctor for a store that was tampered with", "doctor", [1, 9], prepare: damage),
    CanaryCase(
      "init from a broken property list", "init --from Secrets.plist --manifest other.yaml", [1],
      allowed: ["project/Secrets.plist": everything]
    ) {
      try $0.write(
        "<plist version=\"1.0\"><dict><key>\(text("newer"))</key><string>\(text("planted"))\n", to: "Secrets.plist")
    },
    CanaryCase(
      "init from a broken dotenv file", "init --from all.env --manifest other.yaml", [1],
      allowed: ["project/all.env": everything]
    ) {
      try $0.write("A_KEY=\(text("newer"))\n\(text("planted"))\n", to: "all.env")
    },
    CanaryCase("init from what is no file of names", "init --from gamma.txt --manifest other.yaml", [0, 1]),
    CanaryCase("an empty value", "keys set given --yes", [1], input: .text("")),
    CanaryCase("a value for a key with a source", "keys set alpha --yes", [1], input: .text(text("newer"))),
  ]

  /// A secret where none belongs: in the manifest, in an argument.
  private static let mistaken =
    manifests.flatMap { text in
      ["validate", "fmt", "plan", "apply --yes", "keys add fresh --provider openai"].map { mistaken(text, $0) }
    } + [
      CanaryCase("a value as an argument", "keys set given " + text("planted"), [64]),
      CanaryCase(
        "a value as a new key's source", "keys add fresh --provider openai --from " + text("planted"), [1, 64]),
      CanaryCase(
        "a value as a new key's provider", "keys add fresh --from env://A --provider " + text("planted"), [1, 64]),
      CanaryCase(
        "a value as a new key's model", "keys add fresh --provider openai --model sk-ant-api03-" + text("planted"),
        [1, 64]),
      CanaryCase("an identity as an option", "plan --identity AGE-SECRET-KEY-1" + text("other identity"), [9, 64]),
    ]

  private static let manifests: [String] = [
    "version: 1\nkeys: { alpha: { provider: openai, source: \"SECRET\" } }\n",
    "version: 1\nkeys: { alpha: { provider: openai, value: SECRET } }\n",
    "version: 1\nkeys: { alpha: { provider: SECRET, source: env://A } }\n",
    "version: SECRET\nkeys: {}\n",
    "version: 1\nkeys: { alpha: { provider: openai, source: env://A, model: SECRET } }\n",
    "version: 1\nkeys: { alpha: { provider: openai, source: \"SECRET } }\n",
    "version: 1\nkeys: { SECRET: { provider: openai } }\n",
    "version: 1\nkeys:\n  alpha: { provider: openai }\n\tsource: SECRET\n",
    "version: 1\nkeys: { alpha: { provider: openai, source: { command: [echo, SECRET] } } }\n",
    "version: 1\nSECRET: SECRET\nkeys: { alpha: SECRET, alpha: SECRET }\n",
    "version: 1\nkeys: { alpha: { source: \"https://user:SECRET@host/\", expires: { after: SECRET } } }\n",
    "version: 1\n# alpha is SECRET\nkeys: { alpha: { provider: openai, sourc: env://A } } # SECRET\n",
  ]

  private static func mistaken(_ manifest: String, _ line: String) -> CanaryCase {
    let name = "a secret in the manifest: " + manifest.dropFirst(11).replacing("\n", with: "⏎")
    // What edits the manifest writes no JSON.
    let codes: [Int32] = line == "fmt" || line.hasPrefix("keys add") ? [1, 64] : [1]
    return CanaryCase(name, line, codes, allowed: ["project/keyplan.yaml": everything]) {
      try $0.write(manifest.replacing("SECRET", with: "sk-ant-api03-" + text("planted")), to: "keyplan.yaml")
    }
  }

  /// A file of names and secrets, for `init --from`; what only one of two file formats can hold is left out.
  private static func importable(_ line: (String, String) -> String) -> String {
    ["env", "json", "command", "given", "newer"].map { line($0, text($0)) }.joined()
  }

  private static let exported: Set<String> = ["env", "file", "json", "command", "given"]

  @Sendable private static func putIdentityInVariable(_ sandbox: ProgramSandbox) throws {
    let file = try String(contentsOfFile: sandbox.identity, encoding: .utf8)
    sandbox.variables["KEYPLAN_IDENTITY"] = file.split(separator: "\n").last.map(String.init)
  }

  @Sendable private static func change(_ sandbox: ProgramSandbox) throws {
    try sandbox.write("{\"deep\": {\"delta\": \"\(text("newer"))\"}}\n", to: "sources.json")
    try sandbox.write(manifest.replacing("[alpha, beta]", with: "beta"), to: "keyplan.yaml")
  }

  /// `delta` has an earlier value.
  @Sendable private static func replace(_ sandbox: ProgramSandbox) throws {
    try change(sandbox)
    try #require(sandbox.keyplan("apply", "--yes").code == 0)
  }

  @Sendable private static func revoke(_ sandbox: ProgramSandbox) throws {
    try #require(sandbox.keyplan("keys", "revoke", "alpha", "--reason", "in a log", "--yes", "--store-only").code == 0)
  }

  @Sendable private static func tamper(_ sandbox: ProgramSandbox) throws {
    try sandbox.write("OPENAI_API_KEY=x\nDELTA=\(text("newer"))\n", to: "app.env")
  }

  @Sendable private static func damage(_ sandbox: ProgramSandbox) throws {
    var bytes = sandbox.content(of: ".keyplan/default.db") ?? []
    for index in stride(from: 4200, to: bytes.count, by: 97) { bytes[index] ^= 1 }
    try sandbox.write(bytes, to: ".keyplan/default.db")
  }
}
