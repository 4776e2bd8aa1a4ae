import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices
import Synchronization

/// One secret as a target: the names are its fields. Its other fields stay unchanged.
final class VaultTarget: SecretTarget {
  private let client: VaultClient
  /// The secrets as last read, by path: the state that a write replaces.
  private let seen = Mutex<[VaultPath: VaultSecret]>([:])

  init(_ client: VaultClient) { self.client = client }

  var backend: BackendDescription { client.context.backend }
  var connection: Connection? { client.context.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      let path = try path(destination)
      var sight = TargetSight(.values([:]))
      if !question.names.isEmpty {
        let secret = try await client.read(VaultSecretName(path: path, version: nil))
        seen.withLock { $0[path] = secret }
        sight.answer = .values(Self.values(question.names, secret.fields))
        sight.placeId = try await client.mount(of: path).id
      }
      if let intent = question.intent { sight.writeBlockers = await writeBlockers(intent, at: path) }
      return sight
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    do throws(RemoteFailure) {
      let path = try path(destination)
      let seen = seen.withLock { $0.removeValue(forKey: path) }
      return try await VaultWrite(client, path, changes, seen: seen).results()
    } catch {
      throw error.asAccess
    }
  }

  private func path(_ destination: Destination) throws(RemoteFailure) -> VaultPath {
    guard let text = backend.target?.values(at: destination.location)?["path"], let path = VaultPath(text) else {
      throw RemoteFailure(.unreadable, RemoteMessages.noPlace)
    }
    return path
  }

  private static func values(_ names: Set<String>, _ fields: VaultFields?) -> [String: TargetValue] {
    guard let fields else { return [:] }
    var values: [String: TargetValue] = [:]
    for name in names {
      guard let node = fields[name] else { continue }
      // null means that no value is set, as at a source.
      if case .null = node.content { continue }
      let value = fields.value(name)
      let isText = value.map { $0.withBytes { ValueFault(in: $0) } != .holdsNUL } ?? false
      values[name] = if let value, isText { .text(value) } else { .other }
    }
    return values
  }

  /// The known reasons that names cannot be written: names that fields cannot have, and a missing permission.
  private func writeBlockers(_ intent: TargetQuestion.Intent, at path: VaultPath) async -> WriteBlockers {
    var blockers = WriteBlockers()
    for name in intent.setting where backend.target?.names.fault(in: name) != nil {
      blockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
    }
    if await client.mayWrite(path) == false {
      blockers.place = WriteBlocker(
        reason: VaultMessages.cannotWrite(path.text), hint: VaultMessages.writeHint, isOnlyHere: true)
    }
    return blockers
  }
}

extension VaultClient {
  /// Whether the token has a right to write a secret; nil if the server does not say.
  func mayWrite(_ path: VaultPath) async -> Bool? {
    guard let mount = try? await mount(of: path), let part = path.part(below: mount) else { return nil }
    let written = (mount.version == 1 ? mount.path + part : mount.data(part)).joined(separator: "/")
    var body = SecretWriter()
    body.append("{\"paths\":[")
    JSONText.write(written, to: &body)
    body.append("]}")
    let request = VaultRequest.post(["sys", "capabilities-self"], body.finished(), isRepeatable: true)
    guard let answer = try? await send(request), answer.meaning == .ok, let json = answer.json,
      let rights = json["data", "capabilities"]?.elements?.compactMap({ json.text($0) })
    else { return nil }
    return !Set(rights).isDisjoint(with: ["root", "create", "update", "patch"])
  }
}
