import Crypto
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Writes and deletes single secrets, each guarded by the version that was read.
struct SecretWriting: Sendable {
  let api: SecretsManagerAPI
  /// The key of new secrets; nil for the default one.
  let kmsKey: String?
  let tokens: VersionTokens

  func set(_ secret: String, to value: SecretBox, over finding: SecretsManagerAPI.Finding) async -> WriteResult {
    switch finding {
    case .failed(let failure): return .refused(failure.asAccess)
    case .value(let version): return await replace(version, of: secret, with: value)
    case .deleted: return await revive(secret, with: value)
    case .missing:
      do throws(AWSError) {
        let token = tokens.token(secret, after: "", value)
        try await api.create(secret, value, token: token, kmsKey: kmsKey)
        return .done()
      } catch {
        // Also a secret without a value, or one that is scheduled for deletion, has its name.
        guard error.answer == .exists || error.isDeleted else { return Self.result(error) }
        return await revive(secret, with: value)
      }
    }
  }

  /// Adds a version, and makes it the current one unless another has become that: the only comparison that the
  /// service offers.
  private func replace(
    _ version: SecretsManagerAPI.Version, of secret: String, with value: SecretBox
  ) async -> WriteResult {
    // Each version counts towards a limit, and triggers whatever reacts to changes.
    guard !version.value.equals(value) else { return .done() }
    let token = tokens.token(secret, after: version.id, value)
    do throws(AWSError) {
      try await api.put(secret, value, token: token, isPending: true)
    } catch {
      // Nothing reads a pending version: if it arrived, nothing has changed either.
      return error.isDeleted || error.answer == .missing ? .stale : .refused(error.failure.asAccess)
    }
    do throws(AWSError) {
      try await api.promote(secret, token, replacing: version.id)
      return .done()
    } catch {
      return error.code == "InvalidParameterException" ? .stale : Self.result(error)
    }
  }

  /// Writes to a secret that exists and could not be read: one that keyplan has scheduled for deletion, or one that
  /// has no value.
  private func revive(_ secret: String, with value: SecretBox) async -> WriteResult {
    do throws(AWSError) {
      let description = try await api.describe(secret)
      if description.isDeleted {
        guard description.isOurs else {
          return .refused(
            RemoteFailure(.refused, AWSMessages.scheduledByOthers, hint: AWSMessages.restore(secret)).asAccess)
        }
        try await api.restore(secret)
      } else if description.current == nil {
        try await api.put(secret, value, token: tokens.token(secret, after: "", value), isPending: false)
        return .done()
      } else {
        return .stale
      }
      guard case .value(let version) = await api.value(of: SecretId(secret)) else { return .stale }
      return await replace(version, of: secret, with: value)
    } catch {
      return Self.result(error)
    }
  }

  /// Schedules a secret for deletion if keyplan created it.
  func delete(_ secret: String, _ finding: SecretsManagerAPI.Finding) async -> WriteResult {
    switch finding {
    case .missing, .deleted: return .done()
    case .failed(let failure): return .refused(failure.asAccess)
    case .value(let version):
      do throws(AWSError) {
        let description = try await api.describe(secret)
        if description.isDeleted { return .done() }
        guard description.isOurs else {
          return .refused(RemoteFailure(.refused, AWSMessages.notOurs, hint: AWSMessages.deleteYourself).asAccess)
        }
        guard description.current == version.id else { return .stale }
        try await api.delete(secret)
        return .done()
      } catch {
        return error.answer == .missing ? .done() : Self.result(error)
      }
    }
  }

  static func result(_ error: AWSError) -> WriteResult {
    if error.mayHaveArrived { return .unknown(error.failure.reason) }
    return error.answer == .exists || error.answer == .missing ? .stale : .refused(error.failure.asAccess)
  }
}

/// The IDs of versions that are written in one run. The same write has the same ID, so that repeating it has no effect.
struct VersionTokens: Sendable {
  /// An ID is visible to those who may not read the secret, so it is not a hash that a guessed value could be
  /// compared with.
  private let key = SymmetricKey(size: .bits256)

  /// A UUID (RFC 9562, version 8).
  func token(_ secret: String, after version: String, _ value: SecretBox) -> String {
    var code = HMAC<SHA256>(key: key)
    for part in [secret, version] {
      code.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }
    value.withBytes { code.update(data: $0) }
    var bytes = Array(code.finalize().prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }
}
