import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Carries out changes of one secret: reads it again, and writes only fields that have not changed since.
struct VaultWrite {
  let client: VaultClient
  let path: VaultPath
  private let changes: TargetChanges
  private let seen: VaultSecret?
  private(set) var results: [String: WriteResult] = [:]

  static let valueLimit = 65_536
  /// OpenBao accepts JSON with 1,000 strings.
  static let namesAtOnce = 400

  /// One field to set, or to remove if it has no value.
  struct Change {
    let name: String
    let value: SecretBox?
  }

  /// - Parameter seen: the secret as it was when the changes were decided; nil if it was not read.
  init(_ client: VaultClient, _ path: VaultPath, _ changes: TargetChanges, seen: VaultSecret?) {
    self.client = client
    self.path = path
    self.changes = changes
    self.seen = seen
  }

  /// - Throws: the reason that nothing was written at all.
  func results() async throws(RemoteFailure) -> [String: WriteResult] {
    var write = self
    let valid = write.validChanges()
    guard !valid.isEmpty else { return write.results }
    let mount = try await client.mount(of: path)
    let current = try await client.read(VaultSecretName(path: path, version: nil))
    let pending = write.pending(valid, current)
    guard !pending.isEmpty else { return write.results }
    if mount.version == 1 {
      await write.replace(pending, current, in: mount)
    } else {
      await write.update(pending, current, in: mount)
    }
    await write.verify(pending, isGuarded: mount.version == 2)
    return write.results
  }

  /// The changes that a secret can take.
  private mutating func validChanges() -> [Change] {
    let rule = client.context.backend.target?.names ?? .text
    var valid: [Change] = []
    for (name, value) in changes.set {
      if rule.fault(in: name) != nil {
        results[name] = .refused(AccessFailure(.unreadable, RemoteMessages.invalidName))
      } else if let reason = Self.refusal(of: value) {
        results[name] = .refused(AccessFailure(.unreadable, reason))
      } else {
        valid.append(Change(name: name, value: value))
      }
    }
    for name in changes.remove {
      // A name that a secret cannot have is not there.
      if rule.fault(in: name) == nil { valid.append(Change(name: name, value: nil)) } else { record(.done(), [name]) }
    }
    return valid
  }

  private static func refusal(of value: SecretBox) -> String? {
    guard value.count <= valueLimit else { return RemoteMessages.valueSize(least: 0, most: valueLimit) }
    return value.withBytes { bytes in
      if ValueFault(in: bytes) == .holdsNUL { return ValueFault.holdsNUL.sentence }
      return invalidUTF8(in: bytes) == nil ? nil : RemoteMessages.reason(.notText)
    }
  }

  /// The changes that are left to write.
  private mutating func pending(_ valid: [Change], _ current: VaultSecret) -> [Change] {
    var pending: [Change] = []
    for change in valid {
      if let seen, !VaultFields.isSame(change.name, seen.fields, current.fields) {
        record(.stale, [change.name])
      } else if change.value == nil, current.fields?[change.name] == nil {
        record(.done(), [change.name])
      } else {
        pending.append(change)
      }
    }
    return pending
  }

  mutating func record(_ result: WriteResult, _ names: some Sequence<String>) {
    for name in names { results[name] = result }
  }

  /// Records the meaning of an answer for the names of a request.
  mutating func record(_ answer: VaultAnswer, _ names: some Sequence<String>) {
    let failure = answer.failure(rights: VaultMessages.writeHint).asAccess
    switch answer.meaning {
    case .ok: record(.done(), names)
    case .stale, .missing: record(.stale, names)
    // After a server error, it is unknown whether the request took effect.
    case .unreachable where answer.wasSent && !answer.isRepeatable: record(.unknown(failure.reason), names)
    default: record(.refused(failure), names)
    }
  }

  /// Checks whether a write whose answer was lost has arrived. Without a guard, also whether one that was confirmed is still
  /// there.
  private mutating func verify(_ pending: [Change], isGuarded: Bool) async {
    let open = pending.filter { change in
      switch results[change.name] {
      case .unknown: true
      case .done: !isGuarded
      default: false
      }
    }
    guard !open.isEmpty, let now = try? await client.read(VaultSecretName(path: path, version: nil)) else { return }
    for change in open {
      let isThere =
        change.value.map { value in now.fields?.value(change.name)?.equals(value) ?? false }
        ?? (now.fields?[change.name] == nil)
      switch results[change.name] {
      case .unknown where isThere: record(.done(), [change.name])
      case .done where !isThere: record(.stale, [change.name])
      default: continue
      }
    }
  }
}
