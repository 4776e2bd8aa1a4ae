import Foundation
import TestTools
import Testing

/// The same as `CanaryServiceTests` for places of this machine: files that are encrypted, the keyring, programs.
@Suite("A secret of a place on this machine", needsTracer)
struct CanaryLocalTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let backend: String
    /// Fields of the target, in YAML; nil where there is only a source.
    let target: String?
    let source: String
    /// What has the values by right.
    var places: [String] = []

    var testDescription: String { backend }

    /// Whether its programs are installed; CI must have them.
    var isHere: Bool {
      switch backend {
      case "age", "sops": SOPSProgram.path != nil || SOPSProgram.isCI
      case "secret-service": KeyringServer.isHere
      default: true
      }
    }
  }

  static let rows = [
    Row(backend: "age", target: nil, source: "age://there.age"),
    Row(
      backend: "command",
      target: "command: [python3, ./there.py, write], read: [python3, ./there.py, read], variables: [PLACE]",
      source: "{ command: [python3, ./there.py, value], directory: ., variables: [PLACE] }", places: ["pipe"]),
    Row(
      backend: "plist", target: "path: there.plist", source: "plist://copy.plist#PAYMENTS",
      places: ["project/there.plist", "project/copy.plist"]),
    Row(
      backend: "secret-service", target: "service: my-app", source: "\"secret-service://my-app#PAYMENTS\""),
    Row(backend: "sops", target: "path: there.json", source: "\"sops://copy.json#PAYMENTS\""),
    Row(
      backend: "yaml", target: "path: there.yaml", source: "\"yaml://copy.yaml#PAYMENTS\"",
      places: ["project/there.yaml", "project/copy.yaml"]),
  ]

  private static let first = "xW4nB7sJ2kQ9vF5hT8cR3mZ6"
  private static let second = "gL6pY3dU8aE5wK2tN9jV4rC7"
  private static let third = "qH9fS4bX7mD2zR6yO3uI8oG5"

  /// Keeps the value where nothing looks, and with FAULT in the project fails with it on standard error.
  private static let program = """
    import json, os, sys
    place = os.environ["PLACE"]
    values = json.load(open(place)) if os.path.exists(place) else {}
    if os.path.exists("FAULT"):
        print(json.dumps(values), file=sys.stderr)
        sys.exit(f"Traceback: {values}")
    if sys.argv[1] == "read": print(json.dumps(values))
    elif sys.argv[1] == "value": print(values["PAYMENTS"])
    else:
        values.update(json.load(sys.stdin)["set"])
        json.dump(values, open(place, "w"))

    """

  @Test("goes to its place and nowhere else, whatever is done", arguments: rows.filter(\.isHere))
  func stays(_ row: Row) throws {
    try FaultTracer.requireTracer()
    let (scratch, sandbox) = (try Scratch(), try ProgramSandbox())
    let place = try Place(row, scratch, sandbox)
    let values: Set = ["value 1", "value 2", "value 3"]
    let watch = try CanaryWatch(
      sandbox, credentials: place.credentials, values: [Self.first, Self.second, Self.third],
      allowed: Dictionary(uniqueKeysWithValues: row.places.map { ($0, values) }))
    sandbox.variables["PAYMENTS_VALUE"] = Self.first
    try setManifest(row, sandbox)
    try #require(try sandbox.keyplan("identity", "new").code == 0)
    try #require(try sandbox.keyplan("init").code == 0)

    if row.target != nil {
      try watch.run("plan --verbose")
      try watch.run("apply --yes --verbose")
      try watch.run("drift --json --verbose")
      sandbox.variables["PAYMENTS_VALUE"] = Self.second
      try watch.run("plan --json --verbose --out p.kp")
      try watch.run("apply p.kp --verbose")
    }
    try place.keep(Self.second)
    try setManifest(row, sandbox, reads: true)
    try watch.run("plan --verbose")
    try watch.run("apply --yes --json --verbose")
    try watch.run("drift --verbose")
    #expect(try sandbox.keyplan("get", "mirror").out == Self.second)

    sandbox.variables["PAYMENTS_VALUE"] = Self.third
    try place.break(holding: Self.third)
    try watch.run("plan --verbose", Self.failures)
    try watch.run("apply --yes --json --verbose", Self.failures)
    try watch.run("drift --json --verbose", Self.failures)
    try watch.run("doctor --verbose", [0] + Self.failures)
  }

  private static let failures: [Int32] = [1, 2, 3, 7, 8]

  private func setManifest(_ row: Row, _ sandbox: ProgramSandbox, reads: Bool = false) throws {
    let mirror = reads ? "mirror: { provider: generic, variable: MIRROR, source: \(row.source) }" : ""
    let target = row.target.map { "there: { type: \(row.backend), \($0), keys: { PAYMENTS: payments } }" }
    try sandbox.write(
      """
      version: 1
      keys:
        payments: { provider: generic, variable: PAYMENTS, source: env://PAYMENTS_VALUE }
        \(mirror)
      targets: { \(target ?? "") }

      """, to: "keyplan.yaml")
  }

  /// What is needed for a row, and how it is broken.
  private struct Place {
    private let row: Row
    private let scratch: Scratch
    private let sandbox: ProgramSandbox
    private let sops: SOPSProgram?
    private let keyring: KeyringServer?
    let credentials: [String]

    init(_ row: Row, _ scratch: Scratch, _ sandbox: ProgramSandbox) throws {
      (self.row, self.scratch, self.sandbox) = (row, scratch, sandbox)
      sops = ["age", "sops"].contains(row.backend) ? try SOPSProgram(scratch) : nil
      keyring = row.backend == "secret-service" ? try KeyringServer() : nil
      var credentials: [String] = []
      if sops != nil {
        sandbox.variables["SOPS_AGE_KEY_FILE"] = scratch["keys.txt"]
        credentials = try scratch.text("keys.txt").split(separator: "\n").compactMap {
          $0.hasPrefix("AGE-SECRET-KEY-1") ? String($0.dropFirst("AGE-SECRET-KEY-1".count)) : nil
        }
        try #require(credentials.count == 1)
      }
      self.credentials = credentials
      if row.backend == "sops" {
        try scratch.write("{\"other\": \"kept\"}", to: "there.json")
        try sops?.encrypt("there.json")
        try sandbox.write(Array(try Data(contentsOf: URL(filePath: scratch["there.json"]))), to: "there.json")
      }
      if let keyring { sandbox.variables.merge(keyring.variables) { $1 } }
      if row.backend == "command" {
        sandbox.variables["PLACE"] = scratch["values.json"]
        try sandbox.write(CanaryLocalTests.program, to: "there.py")
      }
    }

    /// Puts a value where the source is: a file that is a target is no source.
    func keep(_ value: String) throws {
      for ending in ["json", "plist", "yaml"] {
        if let content = sandbox.content(of: "there.\(ending)") { try sandbox.write(content, to: "copy.\(ending)") }
      }
      guard row.target == nil, let sops else { return }
      try scratch.write(value, to: "value")
      let status = try Child.run([
        "age", "--encrypt", "-r", sops.recipient, "-o", sandbox.project + "/there.age", scratch["value"],
      ])
      try #require(status == 0)
    }

    func `break`(holding value: String) throws {
      switch row.backend {
      case "age", "sops":
        let other = try Scratch()
        _ = try SOPSProgram(other)
        sandbox.variables["SOPS_AGE_KEY_FILE"] = nil
        sandbox.variables["SOPS_AGE_KEY"] = try other.text("keys.txt")
      case "command": try sandbox.write("", to: "FAULT")
      case "secret-service": try keyring?.lock()
      case "plist": try sandbox.write("<plist><dict><key>PAYMENTS</key><string>\(value)<", to: "copy.plist")
      default: try sandbox.write("PAYMENTS: [\(value)\n\(value): : {", to: "copy.yaml")
      }
    }
  }
}
