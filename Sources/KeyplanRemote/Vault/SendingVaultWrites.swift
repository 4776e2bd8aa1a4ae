import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

extension VaultWrite {
  /// Version 2 of the engine: adds versions, each only if the one that was read is the last (`cas`).
  mutating func update(_ pending: [Change], _ current: VaultSecret, in mount: VaultMount) async {
    guard let part = path.part(below: mount), var version = current.version else { return }
    var rest = pending[...]
    // After a deletion there is nothing to merge with, and the number of the last version stays.
    var isThere = current.fields != nil
    while !rest.isEmpty {
      let some = Array(rest.prefix(Self.namesAtOnce))
      let body = Self.body(cas: version) { $0.append(some) }
      let target = mount.data(part)
      let answer = await send(isThere ? .patch(target, body) : .post(target, body), rest)
      guard let answer else { return }
      if isThere, answer.meaning == .denied || answer.status == 405 {
        return await replace(Array(rest), at: version, in: mount)
      }
      record(answer, some.map(\.name))
      rest = rest.dropFirst(some.count)
      guard answer.meaning == .ok, let next = answer.json?.wholeNumber("data", "version") else {
        return settle(rest, after: answer)
      }
      (version, isThere) = (next, true)
    }
    await deleteIfEmpty(version, after: pending, current, mount)
  }

  /// Without permission to patch: writes the whole secret, if it is still at this version.
  private mutating func replace(_ pending: [Change], at version: Int, in mount: VaultMount) async {
    do throws(RemoteFailure) {
      let current = try await client.read(VaultSecretName(path: path, version: nil))
      guard current.version == version else { return record(.stale, pending.map(\.name)) }
      await replace(pending, current, in: mount)
    } catch {
      record(.refused(error.asAccess), pending.map(\.name))
    }
  }

  /// Writes the whole secret, with the fields that do not change as they were read. Version 1 of the engine has no guard.
  mutating func replace(_ pending: [Change], _ current: VaultSecret, in mount: VaultMount) async {
    guard let part = path.part(below: mount) else { return }
    let changed = Set(pending.map(\.name))
    let kept = (current.fields?.members ?? []).filter { !changed.contains($0.name) }
    let isEmpty = kept.isEmpty && pending.allSatisfy { $0.value == nil }
    func write(_ writer: inout ObjectWriter) {
      for member in kept { current.fields.map { writer.append(member, of: $0.json) } }
      writer.append(pending.filter { $0.value != nil })
    }
    let request: VaultRequest
    if mount.version == 1 {
      // Version 1 has no empty secrets.
      request = isEmpty ? .delete(mount.path + part) : .post(mount.path + part, ObjectWriter.object(write))
    } else {
      request = .post(mount.data(part), Self.body(cas: current.version ?? 0, write))
    }
    guard let answer = await send(request, pending[...]) else { return }
    record(answer, pending.map(\.name))
    if mount.version == 2, answer.meaning == .ok, let version = answer.json?.wholeNumber("data", "version") {
      await deleteIfEmpty(version, after: pending, current, mount)
    }
  }

  /// Sends a request that writes.
  /// - Returns: nil if it was not sent; the names are then refused.
  private mutating func send(_ request: VaultRequest, _ changes: ArraySlice<Change>) async -> VaultAnswer? {
    do throws(RemoteFailure) {
      return try await client.send(request)
    } catch {
      record(.refused(error.asAccess), changes.map(\.name))
      return nil
    }
  }

  /// Records the changes that were not sent because of an earlier answer.
  private mutating func settle(_ rest: ArraySlice<Change>, after answer: VaultAnswer) {
    let isStale = answer.meaning == .stale || answer.meaning == .missing
    // A success without the number of the new version cannot be continued.
    let failure = answer.meaning == .ok ? RemoteFailure(.unreadable, RemoteMessages.notAnswered) : answer.failure()
    record(isStale ? .stale : .refused(failure.asAccess), rest.map(\.name))
  }

  /// Deletes the version that this write made, if it removed the last field. A version that another client adds meanwhile
  /// stays. The names are removed in any case.
  private func deleteIfEmpty(
    _ version: Int, after pending: [Change], _ before: VaultSecret, _ mount: VaultMount
  ) async {
    let removed = Set(pending.filter { $0.value == nil }.map(\.name))
    guard removed.count == pending.count, before.fields?.members.allSatisfy({ removed.contains($0.name) }) ?? false,
      let part = path.part(below: mount)
    else { return }
    let body = SecretBox(Array("{\"versions\":[\(version)]}".utf8))
    guard let answer = try? await client.send(.post(mount.path + ["delete"] + part, body)), answer.meaning == .denied,
      let now = try? await client.read(VaultSecretName(path: path, version: nil)),
      now.version == version, now.fields?.members.isEmpty ?? false
    else { return }
    // Deleting the last version requires another permission.
    _ = try? await client.send(.delete(mount.data(part)))
  }

  private static func body(cas version: Int, _ write: (inout ObjectWriter) -> Void) -> SecretBox {
    ObjectWriter.object(before: "{\"options\":{\"cas\":\(version)},\"data\":", write, after: "}")
  }
}

/// Writes the members of a JSON object.
struct ObjectWriter: ~Copyable {
  private var writer = SecretWriter()
  private var isFirst = true

  static func object(before: String = "", _ write: (inout ObjectWriter) -> Void, after: String = "") -> SecretBox {
    var object = ObjectWriter()
    object.writer.append(before + "{")
    write(&object)
    object.writer.append("}" + after)
    return object.writer.finished()
  }

  private mutating func append(name: String) {
    if !isFirst { writer.append(",") }
    isFirst = false
    JSONText.write(name, to: &writer)
    writer.append(":")
  }

  /// A removal is written as `null`.
  mutating func append(_ changes: [VaultWrite.Change]) {
    for change in changes {
      append(name: change.name)
      if let value = change.value {
        value.withBytes { JSONText.write($0, to: &writer) }
      } else {
        writer.append("null")
      }
    }
  }

  /// A member as it was read.
  mutating func append(_ member: JSONMember, of json: JSONAnswer) {
    append(name: member.name)
    json.write(member.value, to: &writer)
  }
}
