import KeyplanServices
import Synchronization

/// Reads many secrets in few requests.
final class SecretsManagerReader: Sendable {
  /// Whether one request may read several secrets: this requires a separate permission.
  private let readsBatches = Mutex(true)

  func read(_ ids: Set<SecretId>, _ api: SecretsManagerAPI) async -> [SecretId: SecretsManagerAPI.Finding] {
    let ordered = ids.sorted { $0.secret < $1.secret }
    let current = ordered.filter { $0.version == .current }
    var found: [SecretId: SecretsManagerAPI.Finding] = [:]
    if current.count > 1 {
      await withTaskGroup(of: [SecretId: SecretsManagerAPI.Finding].self) { group in
        for start in stride(from: 0, to: current.count, by: SecretsManagerAPI.batch) {
          let chunk = Array(current[start..<min(start + SecretsManagerAPI.batch, current.count)])
          group.addTask { await self.batch(chunk, api) }
        }
        for await some in group { found.merge(some) { $1 } }
      }
    }
    let rest = ordered.filter { found[$0] == nil }
    await withTaskGroup(of: (SecretId, SecretsManagerAPI.Finding).self) { group in
      for id in rest { group.addTask { (id, await api.value(of: id)) } }
      for await (id, finding) in group { found[id] = finding }
    }
    return found
  }

  /// The secrets that one request could read. The rest is read one by one, whatever the reason: the permission to read in
  /// batches may be missing, one key of KMS may be unusable, or the answer may be too large.
  private func batch(_ ids: [SecretId], _ api: SecretsManagerAPI) async -> [SecretId: SecretsManagerAPI.Finding] {
    guard readsBatches.withLock({ $0 }) else { return [:] }
    do throws(AWSError) {
      return try await api.values(of: ids)
    } catch {
      switch error.answer {
      case .unauthenticated, .throttled, .unreachable:
        return Dictionary(ids.map { ($0, .failed(error.failure)) }) { first, _ in first }
      case .denied: readsBatches.withLock { $0 = false }
      default: break
      }
      return [:]
    }
  }
}
