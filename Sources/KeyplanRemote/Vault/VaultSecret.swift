import KeyplanJSON
import KeyplanModel
import KeyplanSecrets
import KeyplanServices

/// A secret as it was read.
struct VaultSecret: Sendable {
  /// Nil if there is none.
  let fields: VaultFields?
  /// The number of the version that was read: 0 before the first. Nil in version 1 of the engine.
  let version: Int?
  /// The reason that there is none, if there was one.
  var absence: String?
}

/// The fields of a secret, in memory that is wiped with it.
struct VaultFields: Redacted, Sendable {
  let json: JSONAnswer
  let members: [JSONMember]

  subscript(name: String) -> JSONNode? { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  /// The value of a field: a string, or a number or boolean as written; nil if there is none.
  func value(_ name: String) -> SecretBox? { self[name].flatMap { json.scalar($0) } }

  /// Whether two secrets have the same under a name.
  static func isSame(_ name: String, _ one: VaultFields?, _ other: VaultFields?) -> Bool {
    guard let first = one?[name], let second = other?[name] else { return one?[name] == nil && other?[name] == nil }
    return one?.text(first).equals(other?.text(second) ?? SecretBox([])) ?? false
  }

  /// The value as written in JSON.
  private func text(_ node: JSONNode) -> SecretBox {
    var writer = SecretWriter()
    json.write(node, to: &writer)
    return writer.finished()
  }
}

extension VaultClient {
  /// Reads a secret.
  /// - Throws: the reason that its existence or content is unknown.
  func read(_ name: VaultSecretName) async throws(RemoteFailure) -> VaultSecret {
    let mount = try await mount(of: name.path)
    guard let part = name.path.part(below: mount) else {
      throw RemoteFailure(.unreadable, VaultMessages.noSecretInPath(name.path.text))
    }
    guard mount.version == 2 || name.version == nil else {
      throw RemoteFailure(.unreadable, VaultMessages.noVersions)
    }
    let answer = try await send(mount.reading(part, version: name.version))
    switch answer.meaning {
    case .ok:
      let members = answer.json.flatMap { mount.version == 1 ? $0["data"]?.members : $0["data", "data"]?.members }
      let version = answer.json.flatMap { $0.wholeNumber("data", "metadata", "version") }
      guard let json = answer.json, let members, mount.version == 1 || version != nil else {
        throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(try await server().host))
      }
      return VaultSecret(
        fields: VaultFields(json: json, members: members), version: mount.version == 1 ? nil : version)
    case .missing:
      if mount.id == nil { try await confirm(mount, of: name.path) }
      var secret = VaultSecret(missing: answer, in: mount)
      if secret.version == 0, part.count > 1, part[0] == VaultMount.data { secret.absence = VaultMessages.addsData }
      return secret
    default: throw answer.failure(rights: VaultMessages.readHint)
    }
  }

  /// Confirms the stated version of the engine before a secret counts as missing: in the other version, all are.
  private func confirm(_ mount: VaultMount, of path: VaultPath) async throws(RemoteFailure) {
    let found: VaultMount
    if let known = mounts[path] {
      found = known
    } else {
      // Without permission to look it up, the stated version counts.
      guard let mount = try? await foundMount(of: path) else { return }
      mounts.add(mount)
      found = mount
    }
    guard found.version == mount.version, found.path == mount.path else {
      throw RemoteFailure(
        .unreadable, VaultMessages.otherVersion(try await server().host), hint: VaultMessages.otherVersionHint)
    }
  }
}

extension VaultSecret {
  fileprivate init(missing answer: VaultAnswer, in mount: VaultMount) {
    fields = nil
    guard mount.version == 2 else {
      version = nil
      return
    }
    version = answer.json?.wholeNumber("data", "metadata", "version") ?? 0
    guard let json = answer.json, let metadata = json["data", "metadata"] else { return }
    if let node = metadata.members?.first(where: { $0.name == "destroyed" })?.value, case .bool(true) = node.content {
      absence = VaultMessages.destroyed
    } else {
      let time = json["data", "metadata", "deletion_time"].flatMap { json.text($0) } ?? ""
      absence = VaultMessages.deleted(on: Self.date(time))
    }
  }

  /// The date of a time (RFC 3339): `2026-11-22`.
  private static func date(_ time: String) -> String? {
    let date = time.utf8.prefix(10)
    let isDate = date.enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
    }
    return date.count == 10 && isDate ? String(decoding: date, as: UTF8.self) : nil
  }
}

extension VaultMount {
  /// Reads the secret at the path below the mount.
  func reading(_ part: [String], version: Int?) -> VaultRequest {
    .get(self.version == 1 ? path + part : data(part), query: version.map { "?version=\($0)" } ?? "")
  }

  /// The path of a secret's content in version 2 of the engine.
  func data(_ part: [String]) -> [String] { path + [Self.data] + part }

  static let data = "data"
}

extension JSONAnswer {
  /// A whole number below the root.
  func wholeNumber(_ names: String...) -> Int? { self[names].flatMap { number($0) }.flatMap { Int($0) } }
}
