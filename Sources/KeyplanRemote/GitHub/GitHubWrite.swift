import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Carries out changes at one scope: reads again, sends one name after the other, and reads the resulting marks.
struct GitHubWrite {
  private let session: GitHubSession
  private let scope: GitHubScope
  private let changes: TargetChanges
  private var results: [String: WriteResult] = [:]
  /// The number of times that GitHub rejected the scope's public key.
  private var generation = 0
  /// The reason that no more requests are sent.
  private var end: AccessFailure?

  init(_ session: GitHubSession, _ scope: GitHubScope, _ changes: TargetChanges) {
    self.session = session
    self.scope = scope
    self.changes = changes
  }

  /// - Throws: the reason that nothing was written at all.
  func results() async throws(RemoteFailure) -> [String: WriteResult] {
    var write = self
    try await write.carryOut()
    return write.results
  }

  private mutating func carryOut() async throws(RemoteFailure) {
    var items: [(name: String, value: SecretBox?)] = []
    for (name, value) in changes.set {
      if let reason = Self.refusal(of: name, value) {
        results[name] = .refused(AccessFailure(.unreadable, reason))
      } else {
        items.append((name, value))
      }
    }
    items += changes.remove.map { ($0, nil) }
    guard !items.isEmpty else { return }
    let before = try await session.entries(scope)
    for (name, value) in items {
      let entry = before[name.uppercased()]
      guard isExpected(name, entry) else {
        results[name] = .stale
        continue
      }
      if let value { await set(name, value, over: entry) } else { await remove(name, entry) }
    }
    await lookAgain(before)
  }

  private static func refusal(of name: String, _ value: SecretBox) -> String? {
    if GitHubBackend.names.fault(in: name) != nil { return RemoteMessages.invalidName }
    let limit = GitHubBackend.backend.target?.limits.valueBytes ?? 0
    guard value.count <= limit else { return RemoteMessages.valueSize(least: 0, most: limit) }
    return value.withBytes { ValueFault(in: $0) } == .holdsNUL ? ValueFault.holdsNUL.sentence : nil
  }

  /// Whether the name is as it was when the change was decided.
  private func isExpected(_ name: String, _ entry: GitHubEntry?) -> Bool {
    guard let expected = changes.expected else { return true }
    guard let mark = expected[name] else { return entry == nil }
    guard let entry else { return false }
    return mark == nil || mark?.text == entry.mark
  }

  private mutating func set(_ name: String, _ value: SecretBox, over entry: GitHubEntry?) async {
    if let end { return results[name] = .refused(end) }
    do throws(RemoteFailure) {
      // Without them, a secret of an organization would lose its repositories.
      let repositories =
        entry?.visibility == "selected" ? try await session.repositories(of: name.uppercased(), scope) : nil
      var answer = try await put(name, value, entry, repositories)
      if answer.meaning == .refused, answer.status == 422 {
        // The public key may have been replaced.
        generation += 1
        answer = try await put(name, value, entry, repositories)
      }
      record(name, answer)
    } catch {
      refuse(name, error.asAccess)
    }
  }

  private func put(
    _ name: String, _ value: SecretBox, _ entry: GitHubEntry?, _ repositories: [String]?
  ) async throws(RemoteFailure) -> ClassifiedAnswer {
    let key = try await session.key(scope, generation: generation)
    guard let sealed = value.withBytes({ SealedBox.seal($0, for: key.bytes) }) else {
      throw RemoteFailure(.unreadable, RemoteMessages.reason(.notAPublicKey))
    }
    var writer = SecretWriter()
    writer.append(#"{"encrypted_value":""#)
    writer.append(sealed.withUnsafeBytes { SecretBase64.text(of: $0) })
    writer.append(#"","key_id":"#)
    JSONText.write(key.id, to: &writer)
    if scope.isOrganization {
      writer.append(#","visibility":"#)
      JSONText.write(entry?.visibility ?? "private", to: &writer)
      if let repositories {
        writer.append(#","selected_repository_ids":[\#(repositories.joined(separator: ","))]"#)
      }
    }
    writer.append("}")
    var call = GitHubSession.Call(.put, scope.secrets + [name.uppercased()])
    call.body = writer.finished()
    call.isWrite = true
    return try await session.send(call, for: scope)
  }

  private mutating func remove(_ name: String, _ entry: GitHubEntry?) async {
    guard entry != nil else { return results[name] = .done() }
    if let end { return results[name] = .refused(end) }
    do throws(RemoteFailure) {
      var call = GitHubSession.Call(.delete, scope.secrets + [name.uppercased()])
      call.isWrite = true
      let answer = try await session.send(call, for: scope)
      // The read afterwards shows whether it was deleted, or is hidden.
      if answer.status == 404 { results[name] = .unknown(answer.reason) } else { record(name, answer) }
    } catch {
      refuse(name, error.asAccess)
    }
  }

  private mutating func record(_ name: String, _ answer: ClassifiedAnswer) {
    switch answer.meaning {
    case .ok: results[name] = .done()
    case .unreachable where answer.wasSent, .unreadable where answer.wasSent:
      results[name] = .unknown(answer.reason)
    default: refuse(name, session.failure(answer, writing: scope).asAccess)
    }
  }

  private mutating func refuse(_ name: String, _ failure: AccessFailure) {
    results[name] = .refused(failure)
    // The other names would have the same answer, and make a limit on requests worse.
    switch failure.kind {
    case .throttled, .unauthenticated, .denied: end = failure
    case .sealed, .unreachable, .unreadable: break
    }
  }

  /// Reads the marks that the writes have made. GitHub does not return them.
  private mutating func lookAgain(_ before: [String: GitHubEntry]) async {
    let names = results.filter { _, result in
      switch result {
      case .done, .unknown: true
      case .stale, .refused: false
      }
    }
    guard !names.isEmpty, let after = try? await session.entries(scope) else { return }
    let set = Set(changes.set.map(\.name))
    for (name, result) in names {
      let entry = after[name.uppercased()]
      switch (result, set.contains(name)) {
      case (.done, true): results[name] = entry.map { .done(mark: Mark($0.mark)) } ?? .stale
      case (.done, false): results[name] = entry == nil ? .done() : .stale
      // Another program may have written it: only its absence is conclusive.
      case (_, false) where entry == nil: results[name] = .done()
      default: break
      }
    }
  }
}
