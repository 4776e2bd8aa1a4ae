import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// The actions of AWS Secrets Manager that keyplan uses (API Reference, version 2017-10-17).
struct SecretsManagerAPI: Sendable {
  let client: AWSClient

  /// The most bytes of a secret.
  static let valueLimit = 65_536
  /// The most secrets that one request reads.
  static let batch = 20
  /// The staging label of a version that is not current yet.
  private static let pending = "KEYPLAN"
  /// Marks secrets that keyplan created, and so may delete.
  private static let tag = (key: "managed-by", value: "keyplan")
  private static let recoveryDays = 30

  /// The result of reading a secret.
  enum Finding: Sendable {
    case value(Version)
    case missing
    case deleted
    case failed(RemoteFailure)
  }

  /// One version of a secret.
  struct Version: Sendable {
    let name: String
    let arn: String
    let id: String
    let value: SecretBox
  }

  /// A secret without its value.
  struct Description: Sendable {
    let isDeleted: Bool
    let isOurs: Bool
    /// The ID of the current version; nil if the secret has no value.
    let current: String?
  }

  /// Reads one version of a secret.
  func value(of id: SecretId) async -> Finding {
    var members: [(name: String, value: JSONBody?)] = [("SecretId", .text(id.secret))]
    switch id.version {
    case .current: break
    case .stage(let stage): members.append(("VersionStage", .text(stage)))
    case .id(let version): members.append(("VersionId", .text(version)))
    }
    do throws(AWSError) {
      let json = try await client.call("GetSecretValue", .object(members))
      guard let version = version(json.root, json) else { return .failed(wrongShape) }
      return .value(version)
    } catch {
      return Self.finding(error)
    }
  }

  /// The current versions of up to 20 secrets, with those that it could not read left out.
  func values(of ids: [SecretId]) async throws(AWSError) -> [SecretId: Finding] {
    let list = ids.map { JSONBody.text($0.secret) }
    let json = try await client.call("BatchGetSecretValue", .object([("SecretIdList", .list(list))]))
    var found: [SecretId: Finding] = [:]
    for node in json.elements("SecretValues") {
      guard let version = version(node, json) else { throw AWSError(failure: wrongShape) }
      for id in ids where id.isNamed(version.name, arn: version.arn) { found[id] = .value(version) }
    }
    for node in json.elements("Errors") {
      let body = AWSErrorBody(
        code: json.text("ErrorCode", of: node) ?? "", message: json.text("Message", of: node) ?? "")
      guard let secret = json.text("SecretId", of: node) else { throw AWSError(failure: wrongShape) }
      for id in ids where id.secret == secret { found[id] = Self.finding(client.failure(body, "GetSecretValue")) }
    }
    return found
  }

  func describe(_ secret: String) async throws(AWSError) -> Description {
    let json = try await client.call("DescribeSecret", .object([("SecretId", .text(secret))]))
    let isOurs = json.elements("Tags").contains {
      json.text("Key", of: $0) == Self.tag.key && json.text("Value", of: $0) == Self.tag.value
    }
    var current: String?
    if case .object(let versions)? = json.member("VersionIdsToStages")?.content {
      current =
        versions.first { version in
          guard case .array(let stages) = version.value.content else { return false }
          return stages.contains { json.text($0) == "AWSCURRENT" }
        }?.name
    }
    return Description(isDeleted: json.member("DeletedDate") != nil, isOurs: isOurs, current: current)
  }

  /// - Parameter token: the ID of the version. A repeated request with the same token and value has no further effect.
  func create(_ secret: String, _ value: SecretBox, token: String, kmsKey: String?) async throws(AWSError) {
    let tag = JSONBody.object([("Key", .text(Self.tag.key)), ("Value", .text(Self.tag.value))])
    let members: [(name: String, value: JSONBody?)] = [
      ("Name", .text(secret)), ("SecretString", .secret(value)), ("ClientRequestToken", .text(token)),
      ("KmsKeyId", kmsKey.map { .text($0) }), ("Tags", .list([tag])),
    ]
    _ = try await client.call("CreateSecret", .object(members), .write)
  }

  /// Adds a version.
  /// - Parameter isPending: whether it is not made the current one.
  func put(_ secret: String, _ value: SecretBox, token: String, isPending: Bool) async throws(AWSError) {
    let members: [(name: String, value: JSONBody?)] = [
      ("SecretId", .text(secret)), ("SecretString", .secret(value)), ("ClientRequestToken", .text(token)),
      ("VersionStages", isPending ? .list([.text(Self.pending)]) : nil),
    ]
    _ = try await client.call("PutSecretValue", .object(members), .write)
  }

  /// Makes a version the current one if the other one still is.
  func promote(_ secret: String, _ token: String, replacing previous: String) async throws(AWSError) {
    let members: [(name: String, value: JSONBody?)] = [
      ("SecretId", .text(secret)), ("VersionStage", .text("AWSCURRENT")), ("MoveToVersionId", .text(token)),
      ("RemoveFromVersionId", .text(previous)),
    ]
    _ = try await client.call("UpdateSecretVersionStage", .object(members), .write)
  }

  /// Schedules a secret for deletion.
  func delete(_ secret: String) async throws(AWSError) {
    _ = try await client.call(
      "DeleteSecret",
      .object([("SecretId", .text(secret)), ("RecoveryWindowInDays", .number(Self.recoveryDays))]), .write)
  }

  /// Cancels a scheduled deletion.
  func restore(_ secret: String) async throws(AWSError) {
    _ = try await client.call("RestoreSecret", .object([("SecretId", .text(secret))]), .write)
  }

  private func version(_ node: JSONNode, _ json: JSONAnswer) -> Version? {
    let binary = json.secret("SecretBinary", of: node).flatMap { text in text.withBytes { SecretBase64.bytes(in: $0) } }
    guard let name = json.text("Name", of: node), let arn = json.text("ARN", of: node),
      let id = json.text("VersionId", of: node), let value = json.secret("SecretString", of: node) ?? binary
    else { return nil }
    return Version(name: name, arn: arn, id: id, value: value)
  }

  private static func finding(_ error: AWSError) -> Finding {
    if error.isDeleted { return .deleted }
    return error.answer == .missing ? .missing : .failed(error.failure)
  }

  private var wrongShape: RemoteFailure {
    RemoteFailure(.unreadable, RemoteMessages.wrongShape(client.endpoint.address.host))
  }
}
