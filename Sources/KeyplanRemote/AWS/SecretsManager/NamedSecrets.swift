import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Secrets below a prefix, one for each of a target's names.
struct NamedSecrets: Sendable {
  let prefix: String
  let reader: SecretsManagerReader
  let api: SecretsManagerAPI

  /// Nil for a name that no secret can have.
  private func secret(_ name: String) -> String? {
    let secret = prefix + name
    return !name.isEmpty && SecretsManagerPlace.isValid(secret) ? secret : nil
  }

  func sight(_ question: TargetQuestion) async -> TargetSight {
    let found = await read(question.names)
    var values: [String: TargetValue] = [:]
    var failures: [String: AccessFailure] = [:]
    for (name, finding) in found.sorted(by: { $0.key < $1.key }) {
      switch finding {
      case .missing, .deleted: continue
      case .failed(let failure): failures[name] = failure.asAccess
      case .value(let version):
        let holdsNUL = version.value.withBytes { ValueFault(in: $0) } == .holdsNUL
        values[name] = holdsNUL ? .other : .text(version.value)
      }
    }
    var sight = TargetSight(
      TargetAnswer(values, failures: failures, of: question.names),
      placeId: found.values.lazy.compactMap(\.account).first)
    guard let intent = question.intent else { return sight }
    for name in intent.setting where secret(name) == nil {
      sight.writeBlockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
    }
    let removed = intent.removing.intersection(values.keys)
    for name in await createdByOthers(removed) {
      sight.writeBlockers.removing[name] = WriteBlocker(reason: AWSMessages.notOurs, hint: AWSMessages.deleteYourself)
    }
    return sight
  }

  /// The names whose secrets keyplan did not create. Unknown cases are left to the write.
  private func createdByOthers(_ names: Set<String>) async -> Set<String> {
    await withTaskGroup(of: String?.self) { group in
      for name in names {
        guard let secret = secret(name) else { continue }
        group.addTask {
          guard let description = try? await api.describe(secret) else { return nil }
          return description.isOurs ? nil : name
        }
      }
      return await group.reduce(into: []) { names, name in if let name { names.insert(name) } }
    }
  }

  private func read(_ names: some Sequence<String>) async -> [String: SecretsManagerAPI.Finding] {
    let ids = names.compactMap { name in secret(name).map { (name, SecretId($0)) } }
    guard !ids.isEmpty else { return [:] }
    let found = await reader.read(Set(ids.map(\.1)), api)
    return Dictionary(ids.map { ($0, found[$1] ?? .failed(notAnswered)) }) { first, _ in first }
  }

  private var notAnswered: RemoteFailure { RemoteFailure(.unreadable, RemoteMessages.notAnswered) }

  func write(_ changes: TargetChanges, _ writing: SecretWriting) async -> [String: WriteResult] {
    let found = await read(changes.names)
    let wanted = changes.set.map { ($0.name, SecretBox?.some($0.value)) } + changes.remove.map { ($0, nil) }
    var results: [String: WriteResult] = [:]
    await withTaskGroup(of: (String, WriteResult).self) { group in
      for (name, value) in wanted {
        guard let finding = found[name], let secret = secret(name) else {
          let refused = RemoteFailure(.refused, RemoteMessages.invalidName)
          results[name] = value == nil ? .done() : .refused(refused.asAccess)
          continue
        }
        guard changes.expects(name, finding.mark) else {
          results[name] = .stale
          continue
        }
        group.addTask { (name, await write(value, to: secret, finding, writing)) }
      }
      for await (name, result) in group { results[name] = result }
    }
    return await settled(results, Dictionary(wanted) { first, _ in first })
  }

  private func write(
    _ value: SecretBox?, to secret: String, _ finding: SecretsManagerAPI.Finding, _ writing: SecretWriting
  ) async -> WriteResult {
    guard let value else { return await writing.delete(secret, finding) }
    guard (1...SecretsManagerAPI.valueLimit).contains(value.count) else {
      let reason = RemoteMessages.valueSize(least: 1, most: SecretsManagerAPI.valueLimit)
      return .refused(RemoteFailure(.refused, reason).asAccess)
    }
    if let refusal = SecretWriting.refusal(of: value) { return .refused(refusal.asAccess) }
    return await writing.set(secret, to: value, over: finding)
  }

  /// Settles lost answers by the current values.
  private func settled(
    _ results: [String: WriteResult], _ wanted: [String: SecretBox?]
  ) async -> [String: WriteResult] {
    let open = results.filter { if case .unknown = $0.value { true } else { false } }.map(\.key)
    guard !open.isEmpty else { return results }
    var results = results
    for (name, finding) in await read(open) {
      switch (finding, wanted[name] ?? nil) {
      case (.value(let version), let value?) where version.value.equals(value): results[name] = .done()
      case (.missing, nil), (.deleted, nil): results[name] = .done()
      default: continue
      }
    }
    return results
  }
}

extension SecretsManagerAPI.Finding {
  /// The ID of the version; nil if there is none.
  var mark: Mark? {
    if case .value(let version) = self { Mark(version.id) } else { nil }
  }

  /// The account that has it; nil if there is none.
  var account: String? {
    if case .value(let version) = self { AWSAccount.owner(of: version.arn) } else { nil }
  }
}
