import KeyplanHTTP
import KeyplanJSON
import KeyplanSecrets
import KeyplanServices

/// The actions of Parameter Store that keyplan uses (AWS Systems Manager API Reference, version 2014-11-06).
struct ParameterStoreAPI: Sendable {
  let client: AWSClient

  /// The most bytes of a parameter of the advanced tier.
  static let valueLimit = 8192
  /// The most bytes of one of the standard tier.
  static let standardLimit = 4096
  /// The most parameters that one request reads.
  static let batch = 10

  enum Finding: Sendable {
    case value(Parameter)
    case missing
    case failed(RemoteFailure)
  }

  struct Parameter: Sendable {
    let value: SecretBox
    let version: Int64
    let isSecure: Bool
    /// Nil if the response has none.
    let arn: String?
  }

  /// Reads parameters, up to ten with each request.
  func values(of ids: Set<ParameterId>) async -> [ParameterId: Finding] {
    var found: [ParameterId: Finding] = [:]
    await withTaskGroup(of: [ParameterId: Finding].self) { group in
      for chunk in Self.chunks(of: ids) { group.addTask { await self.read(chunk) } }
      for await some in group { found.merge(some) { $1 } }
    }
    return found
  }

  /// Groups in which each name occurs once: a response does not reliably identify the requested version.
  private static func chunks(of ids: Set<ParameterId>) -> [[ParameterId]] {
    var rounds: [[ParameterId]] = []
    for (_, versions) in Dictionary(grouping: ids, by: \.name).sorted(by: { $0.key < $1.key }) {
      for (round, id) in versions.sorted(by: { $0.text < $1.text }).enumerated() {
        if round == rounds.count { rounds.append([]) }
        rounds[round].append(id)
      }
    }
    return rounds.flatMap { round in
      stride(from: 0, to: round.count, by: batch).map { Array(round[$0..<min($0 + batch, round.count)]) }
    }
  }

  private func read(_ ids: [ParameterId]) async -> [ParameterId: Finding] {
    do throws(AWSError) {
      return try await batch(ids)
    } catch {
      switch error.answer {
      case .unauthenticated, .throttled, .unreachable: break
      default:
        // One name without permission, or with an unusable key, makes the request fail for all.
        guard ids.count > 1 else { break }
        var found: [ParameterId: Finding] = [:]
        await withTaskGroup(of: [ParameterId: Finding].self) { group in
          for id in ids { group.addTask { await self.read([id]) } }
          for await some in group { found.merge(some) { $1 } }
        }
        return found
      }
      let finding = error.answer == .missing ? Finding.missing : .failed(error.failure)
      return Dictionary(ids.map { ($0, finding) }) { first, _ in first }
    }
  }

  private func batch(_ ids: [ParameterId]) async throws(AWSError) -> [ParameterId: Finding] {
    let names = JSONBody.list(ids.map { .text($0.text) })
    let json = try await client.call("GetParameters", .object([("Names", names), ("WithDecryption", .bool(true))]))
    let missing = Set(json.elements("InvalidParameters").compactMap { json.text($0) })
    let wrongShape = RemoteFailure(.unreadable, RemoteMessages.wrongShape(client.endpoint.address.host))
    var found: [ParameterId: Finding] = [:]
    for node in json.elements("Parameters") {
      guard let name = json.text("Name", of: node), let value = json.secret("Value", of: node),
        let version = json.integer("Version", of: node)
      else { throw AWSError(failure: wrongShape) }
      let arn = json.text("ARN", of: node)
      let isSecure = json.text("Type", of: node) == "SecureString"
      let parameter = Parameter(value: value, version: version, isSecure: isSecure, arn: arn)
      for id in ids where id.name == name || id.name == arn { found[id] = .value(parameter) }
    }
    for id in ids where found[id] == nil {
      found[id] = missing.contains(id.text) ? .missing : .failed(wrongShape)
    }
    return found
  }

  /// Creates a parameter, or adds a version to one.
  /// - Returns: the number of the version.
  func put(
    _ name: String, _ value: SecretBox, isNew: Bool, kmsKey: String?, tier: String?
  ) async throws(AWSError) -> Int64? {
    let members: [(name: String, value: JSONBody?)] = [
      ("Name", .text(name)), ("Value", .secret(value)), ("Type", .text("SecureString")),
      ("KeyId", kmsKey.map { .text($0) }), ("Overwrite", .bool(!isNew)), ("Tier", tier.map { .text($0) }),
    ]
    let json = try await client.call("PutParameter", .object(members), .write)
    return json.integer("Version")
  }

  func delete(_ name: String) async throws(AWSError) {
    _ = try await client.call("DeleteParameter", .object([("Name", .text(name))]), .write)
  }
}
