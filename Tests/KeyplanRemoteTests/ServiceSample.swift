import Foundation
import KeyplanModel
import Testing

@testable import KeyplanRemote
@testable import KeyplanServices

/// A place in the fake for one description.
struct ServiceSample: Sendable, CustomTestStringConvertible {
  enum Shows { case values, marks, presence }

  let service: String
  /// What tells two samples of one service apart.
  var variant = ""
  var connection: [String: String] = ["token": "good"]
  /// The fields that lead to the fake.
  var addresses = ["address"]
  var place: [String: String] = [:]
  let shows: Shows
  /// The beginning of valid names.
  var prefix = "KP_"
  /// A place that does not exist, and how that is reported.
  var elsewhere: (place: [String: String], kind: AccessFailure.Kind)?
  /// Whether the name of a removed secret cannot be used again until it is purged.
  var keepsNames = false
  var adapt: @Sendable (inout SecretAPI) -> Void = { _ in }

  var testDescription: String { variant.isEmpty ? service : "\(service) (\(variant))" }

  /// The description: built in, or one that a user could write, of a file of the fixtures.
  func api() throws -> SecretAPI {
    if let api = try BuiltInServices.api(service) { return api }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(service).yaml")
    return try SecretAPI.read(Array(try Data(contentsOf: file)), name: service)
  }

  func name(_ suffix: String) -> String { prefix + suffix }

  /// Whether a rejected token is told from a missing right.
  var hasToken: Bool { connection["token"] != nil }

  static let all: [ServiceSample] = [
    ServiceSample(
      service: "github-variables", place: ["owner": "acme", "repository": "app", "environment": "a/b prod"],
      shows: .values, elsewhere: (["repository": "nope"], .denied)),
    ServiceSample(
      service: "github-variables", variant: "organization", place: ["organization": "acme"], shows: .values,
      elsewhere: (["organization": "nope"], .denied)),
    ServiceSample(
      service: "gitlab", place: ["project": "acme/app", "scope": "prod"], shows: .values,
      elsewhere: (["project": "nope"], .denied)),
    ServiceSample(
      service: "cloudflare", place: ["account": "a", "script": "s"], shows: .presence,
      elsewhere: (["script": "nope"], .unreadable)),
    ServiceSample(
      service: "doppler", connection: ["identity": "i", "jwt": "jwt"], place: ["project": "p", "config": "dev"],
      shows: .values, elsewhere: (["config": "nope"], .unreadable)),
    ServiceSample(
      service: "infisical", connection: ["clientId": "c", "clientSecret": "cs"],
      place: ["project": "p", "environment": "dev", "path": "/x y"], shows: .values,
      elsewhere: (["project": "nope"], .unreadable)),
    ServiceSample(
      service: "onepassword", place: ["vault": "Team", "item": "My \"Item\""], shows: .values,
      elsewhere: (["vault": "Twice"], .unreadable)),
    ServiceSample(
      service: "gcp", connection: ["audience": "//iam", "account": "a@b", "jwt": "jwt"],
      addresses: ["address", "sts", "iam"], place: ["project": "p"], shows: .values,
      elsewhere: (["project": "nope"], .denied)),
    ServiceSample(
      service: "azure", connection: ["vault": "kp", "tenant": "t", "client": "c", "clientSecret": "cs"],
      addresses: ["authority"], shows: .values, prefix: "KP-", keepsNames: true,
      // The host is made of the vault's name.
      adapt: { api in if let base = try? Template("{authority}") { api.base = base } }),
    ServiceSample(
      service: "vercel", connection: ["token": "good", "team": "team_1"], place: ["project": "p"], shows: .marks,
      elsewhere: (["project": "nope"], .unreadable)),
    ServiceSample(
      service: "vercel", variant: "encrypted", connection: ["token": "good", "sensitive": "encrypted"],
      place: ["project": "p"],
      shows: .values),
    ServiceSample(service: "netlify", place: ["account": "a", "site": "s"], shows: .marks),
    ServiceSample(service: "heroku", place: ["app": "a"], shows: .values, elsewhere: (["app": "nope"], .unreadable)),
    ServiceSample(service: "render", place: ["service": "srv-1"], shows: .values),
    ServiceSample(service: "circleci", place: ["context": "0f1e2d3c-0000-4000-8000-000000000001"], shows: .marks),
    ServiceSample(service: "fly", place: ["app": "a"], shows: .marks),
    ServiceSample(
      service: "railway", place: ["project": "p", "environment": "e"], shows: .values,
      elsewhere: (["project": "nope"], .unreadable)),
    ServiceSample(service: "consul", place: ["prefix": "app/prod"], shows: .values),
    ServiceSample(
      service: "vault-kv1", place: ["mount": "secret", "path": "team/app"], shows: .values,
      elsewhere: (["mount": "nope"], .denied)),
    ServiceSample(
      service: "vault-kv1", variant: "AppRole", connection: ["role": "r", "secretId": "cs"],
      place: ["mount": "secret", "path": "team/app"], shows: .values, elsewhere: (["mount": "second"], .unreadable)),
  ]
}
