import Foundation
import TestTools
import Testing

/// Identities that AWS KMS opens, here moto's.
@Suite("An identity that is sealed at AWS")
struct AWSSealedIdentityTests {
  @Test(
    "can be post-quantum, beside a classical one; who has no right to the key opens nothing",
    .enabled(if: ServiceCase.awsPython != nil, ServiceCase.withoutAWS))
  func postQuantum() throws {
    let peer = RunningService.fixtures.appending(path: "aws_peer.py").path
    let server = try FixtureServer([peer, "moto", try #require(ServiceCase.awsPython)])
    let known = try JSONDecoder().decode(Known.self, from: server.greeting)
    let sandbox = try ProgramSandbox()
    func use(_ key: [String]) {
      (sandbox.variables["AWS_ACCESS_KEY_ID"], sandbox.variables["AWS_SECRET_ACCESS_KEY"]) = (key[0], key[1])
    }
    sandbox.variables["AWS_ENDPOINT_URL"] = known.address
    sandbox.variables["AWS_EC2_METADATA_DISABLED"] = "true"
    use(known.admin)
    try sandbox.write("version: 1\nkeys:\n  a: { provider: generic, source: file://a.txt }\n", to: "keyplan.yaml")
    try sandbox.write("value-1\n", to: "a.txt")
    try #require(sandbox.keyplan("init").code == 0)

    var recipients = "recipients:\n  ada: \(try sandbox.keyplan("identity", "show", "--quiet").out.trimmed)\n"
    for (file, options, prefix) in [("ci.txt", [], "age1"), ("pq.txt", ["--post-quantum"], "age1pq1")] {
      let words = ["identity", "new", "--identity", "../" + file, "--kms", known.key] + options
      let made = try sandbox.start([Shell.program] + words).wait()
      try #require(made.code == 0 && made.out.hasPrefix(prefix), "\(made.out)\(made.err)")
      recipients += "  \(file.prefix(2)): { key: \(made.out.trimmed), kms: true }\n"
    }
    let manifest = String(decoding: try #require(sandbox.content(of: "keyplan.yaml")), as: UTF8.self)
    try sandbox.write(manifest.components(separatedBy: "recipients:")[0] + recipients, to: "keyplan.yaml")
    let applied = try sandbox.keyplan("apply", "--yes")
    try #require(applied.code == 0, "\(applied.out)\(applied.err)")

    for file in ["ci.txt", "pq.txt"] {
      use(known.admin)
      let got = try sandbox.keyplan("get", "a", "--identity", "../" + file)
      #expect(got.code == 0 && got.out == "value-1", "\(file): \(got.err)")
      use(known.stranger)
      let refused = try sandbox.keyplan("get", "a", "--identity", "../" + file)
      #expect(refused.code == 9 && refused.out.isEmpty, "\(file): \(refused.code) \(refused.err)")
    }
    // It opens what is sealed after it came, too.
    use(known.admin)
    try sandbox.write("value-2\n", to: "a.txt")
    let job = try sandbox.keyplan("apply", "--yes", "--identity", "../pq.txt")
    #expect(job.code == 0, "\(job.out)\(job.err)")
    #expect(try sandbox.keyplan("get", "a").out == "value-2")
  }

  private struct Known: Decodable {
    let address: String
    /// A symmetric key of KMS.
    let key: String
    let admin: [String]
    let stranger: [String]
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
