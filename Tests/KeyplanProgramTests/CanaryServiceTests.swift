import Foundation
import TestTools
import Testing

/// A key that goes to a service and comes back from it, and the credential for that: nothing but the service may get them.
@Suite("A secret of a service", needsTracer)
struct CanaryServiceTests {
  private static let credential = "Yk7Qw2Vt9Lr4Zp8Xs3Nd6Hb1Cj5"
  private static let rejected = "Gm3Tz8Pf1Ku6Wd9Bx4Rn7Ve2Hq0"
  private static let first = "zQ5hJ8vN2cL7wS4kD9fT1xM6"
  private static let second = "pB3rY6gE8uA2nW7tK4jV9mC5"
  private static let third = "hF1dZ4sX8qL6yR3oU7iG2bN9"

  /// Those that are tested elsewhere, and where.
  private static let elsewhere = [
    "dotenv": "CanaryTests", "env": "CanaryTests", "file": "CanaryTests", "json": "CanaryTests",
    "op": "OnePasswordTests, with a fake of the program", "pass": "PassSourceTests, with the real program",
    "aws-keys": "AWSAccessKeyFaultTests, in what it says", "vault-keys": "VaultKeysFaultTests, in what it says",
    "anthropic-keys": "a person makes its keys", "github-keys": "a person makes its keys",
    "stripe-keys": "a person makes its keys",
  ]
  /// Those whose keys `RotationSweepTests` has made, and looks for in the output and the files of each killed run.
  private static let issuers = IssuerSample.minting.map { "\($0.name)-keys" }

  @Test func `is looked for at every backend`() throws {
    struct Listing: Decodable {
      struct Backend: Decodable { let name: String }
      let backends: [Backend]
    }
    let listing = try ProgramSandbox().keyplan("backends", "--json").out
    let names = try JSONDecoder().decode(Listing.self, from: Data(listing.utf8)).backends.map(\.name)
    let rows = (ServiceCase.all + ServiceCase.aws).map(\.service) + CanaryLocalTests.rows.map(\.testDescription)
    #expect(
      names.sorted() == (rows + Self.issuers + Self.elsewhere.keys).sorted(), "each backend has one row or one reason")
  }

  @Test("goes to its service and nowhere else, whatever is done", arguments: ServiceCase.all)
  func stays(_ test: ServiceCase) throws {
    try FaultTracer.requireTracer()
    let running = try RunningService(test, secret: Self.credential)
    let sandbox = running.sandbox
    let watch = try CanaryWatch(
      sandbox, credentials: running.credentials, values: [Self.first, Self.second, Self.third, Self.rejected])
    sandbox.variables["PAYMENTS_VALUE"] = Self.first
    try running.setUp()

    try watch.run("plan --verbose")
    try watch.run("plan --json --verbose --out p.kp")
    try watch.run("apply p.kp --verbose")
    try watch.run("drift --json --verbose")
    sandbox.variables["PAYMENTS_VALUE"] = Self.second
    try watch.run("drift --verbose", [2])
    try watch.run("apply --yes --json --verbose")
    try watch.run("doctor --verbose")

    if let source = test.source {
      try running.setManifest("mirror: { provider: generic, variable: MIRROR, source: \"\(source)\" }")
      let codes: [Int32] = test.isReadable ? [0] : [0, 1, 8]
      try watch.run("plan --verbose", codes)
      try watch.run("apply --yes --verbose", codes)
      try watch.run("drift --verbose", codes + [2])
      if test.isReadable { #expect(try sandbox.keyplan("get", "mirror").out == Self.second) }
    }

    // A service that answers with what it was sent.
    sandbox.variables["PAYMENTS_VALUE"] = Self.third
    for status in ["422", "403", "200"] {
      try running.scratch.write(status, to: "echo")
      let codes = status == "200" ? [0, 4] + Self.failures : Self.failures
      try watch.run("plan --verbose", codes)
      try watch.run("apply --yes --verbose", codes)
      try watch.run("drift --json --verbose", codes)
      try watch.run("doctor --verbose", [0] + Self.failures)
    }
    unlink(running.scratch["echo"])

    let sent = watch.search.found(in: running.kept("sent"))
    if test.sendsCredential { #expect(sent.contains { $0.hasPrefix("credential ") }, "\(sent)") }
    if test.sendsValue { #expect(sent.contains { $0.hasPrefix("value 1 ") }, "\(sent)") }
    try running.reject(Self.rejected)
    try watch.run("plan --verbose", Self.failures)
    try watch.run("apply --yes --json --verbose", Self.failures)
    // Some services cannot be asked whose credential it is.
    try watch.run("doctor --verbose", [0] + Self.failures)
    #expect(watch.search.found(in: running.kept("lines")) == [], "addresses")
  }

  private static let failures: [Int32] = [1, 2, 3, 6, 7, 8]

  /// The same at moto, which checks signatures.
  @Test(
    "goes to AWS and nowhere else, whatever is done",
    .enabled(if: ServiceCase.awsPython != nil, ServiceCase.withoutAWS),
    arguments: ServiceCase.aws)
  func staysAtAWS(_ test: ServiceCase) throws { try stays(test) }

  @Test(
    "is found when a program prints it, leaves it, passes it on, or puts it into an address",
    arguments: [
      (leak: "echo \"$FAKE_TOKEN\"", found: "standard output"),
      (leak: "echo \"$FAKE_TOKEN\" >&2", found: "standard error"),
      (leak: "printf %s \"$PAYMENTS_VALUE\" | base64 >\"$TMPDIR/left\"", found: "tmp/left"),
      (leak: "echo \"$PAYMENTS_VALUE\" >.keyplan/left", found: "project/.keyplan/left"),
      (leak: ": >\"$HOME/$FAKE_TOKEN\"", found: "a name"), (leak: "/bin/true \"$PAYMENTS_VALUE\"", found: "execve"),
      (leak: "X=$FAKE_TOKEN /bin/true", found: "execve"),
      (leak: "exec 9>\"$TMPDIR/x\"; echo \"$FAKE_TOKEN\" >&9; rm \"$TMPDIR/x\"", found: "write"),
      (
        leak: "python3 -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1])' \"ADDRESS/user?token=$FAKE_TOKEN\"",
        found: "addresses"
      ),
    ])
  func planted(leak: String, found: String) throws {
    try FaultTracer.requireTracer()
    let test = try #require(ServiceCase.all.first { $0.service == "gitlab" })
    let running = try RunningService(test, secret: Self.credential)
    let watch = try CanaryWatch(running.sandbox, credentials: running.credentials, values: [Self.first])
    running.sandbox.variables["PAYMENTS_VALUE"] = Self.first
    try running.setUp()
    #expect(try watch.findings(of: ["/bin/sh", "-c", ":\n:"]).found == [])
    let script = leak.replacing("ADDRESS", with: running.address)
    var all = try watch.findings(of: ["/bin/sh", "-c", script + "\n:"]).found
    all += watch.search.found(in: running.kept("lines")).map { "addresses: " + $0 }
    #expect(all.contains { $0.contains(found) }, "\(all)")
  }
}
