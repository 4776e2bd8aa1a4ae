import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Carries out changes at one secret by server-side apply: reads it, sends all keys that this program owns, and compares
/// the result. The version that was read is the guard.
struct SecretApply {
  private let session: ClusterSession
  private let place: SecretPlace
  private let changes: TargetChanges
  /// The changes that are not settled yet.
  private var set: [(name: String, value: SecretBox)] = []
  private var remove: [String] = []
  private var results: [String: WriteResult] = [:]

  /// A secret that keeps changing is left alone.
  private static let attempts = 5

  init(_ session: ClusterSession, _ place: SecretPlace, _ changes: TargetChanges) {
    self.session = session
    self.place = place
    self.changes = changes
  }

  /// - Throws: the reason that nothing was written at all.
  func results() async throws(RemoteFailure) -> [String: WriteResult] {
    var apply = self
    try await apply.carryOut()
    return apply.results
  }

  private mutating func carryOut() async throws(RemoteFailure) {
    check()
    var before: SecretObject??
    for _ in 0..<Self.attempts where !set.isEmpty || !remove.isEmpty {
      let object = try await session.object(place)
      if let before { settleMoved(since: before, now: object) }
      before = .some(object)
      guard object?.isImmutable != true else {
        throw RemoteFailure(.refused, KubernetesMessages.immutableSecret, hint: KubernetesMessages.immutableHint)
      }
      settleRemovals(object)
      guard !set.isEmpty || !remove.isEmpty else { return }
      if try await send(object) { return }
    }
    for name in set.map(\.name) + remove {
      results[name] = .refused(AccessFailure(.unreachable, KubernetesMessages.busy))
    }
  }

  /// Refuses names and values that Kubernetes does not take.
  private mutating func check() {
    for (name, value) in changes.set {
      if !SecretPlace.canHave(name) {
        results[name] = .refused(AccessFailure(.unreadable, RemoteMessages.invalidName))
      } else if let fault = value.withBytes({ ValueFault(in: $0) }), !ValueFault.vacant.contains(fault) {
        results[name] = .refused(AccessFailure(.unreadable, fault.sentence))
      } else {
        set.append((name, value))
      }
    }
    remove = changes.remove
  }

  /// Names that another program changed while this one tried to write are stale.
  private mutating func settleMoved(since before: SecretObject?, now: SecretObject?) {
    for name in set.map(\.name) + remove {
      let (old, new) = (before?.value(name), now?.value(name))
      let isSame = if let old, let new { old.equals(new) } else { old == nil && new == nil }
      if !isSame { settle(name, .stale) }
    }
  }

  /// An absent name needs no removal, and a name that others own cannot be removed by leaving it out.
  private mutating func settleRemovals(_ object: SecretObject?) {
    let owned = Set(object?.ownedNames ?? [])
    for name in remove {
      guard let object, object.contains(name) else {
        settle(name, .done())
        continue
      }
      if !owned.contains(name) { settle(name, Self.conflict(object.owners(of: name))) }
    }
  }

  private mutating func settle(_ name: String, _ result: WriteResult) {
    results[name] = result
    set.removeAll { $0.name == name }
    remove.removeAll { $0 == name }
  }

  private static func conflict(_ owners: [String]) -> WriteResult {
    .refused(
      AccessFailure(.denied, KubernetesMessages.conflict(owners), hint: KubernetesMessages.conflictHint))
  }

  /// Sends the changes.
  /// - Returns: whether everything is settled; otherwise the secret has to be read again.
  private mutating func send(_ object: SecretObject?) async throws(RemoteFailure) -> Bool {
    if let object, set.isEmpty, Set(object.names).subtracting(remove).isEmpty, object.isOnlyOurs {
      return try await delete(object)
    }
    var answer = try await apply(over: object, force: false)
    if answer.meaning == .stale {
      let conflicts = ApplyBody.conflicts(in: answer)
      guard let object, !conflicts.isEmpty else { return false }
      let kept = conflicts.filter { !changes.takesOver.contains($0) }
      for name in kept { settle(name, Self.conflict(object.owners(of: name))) }
      guard kept.isEmpty else { return false }
      answer = try await apply(over: object, force: true)
    }
    switch answer.meaning {
    case .ok:
      guard let now = answer.json.flatMap({ SecretObject($0) }) else {
        await lookAgain(KubernetesMessages.notKubernetes(session.host))
        return true
      }
      compare(with: now)
      return true
    case .stale: return false
    case .unreachable where answer.wasSent, .unreadable where answer.wasSent:
      await lookAgain(answer.reason)
      return true
    case .denied:
      throw session.failure(answer, hint: KubernetesMessages.deniedHint("get, create and patch", place))
    case .refused where answer.status == 404:
      throw RemoteFailure(.refused, KubernetesMessages.noNamespace(place.namespace))
    default: throw session.failure(answer)
    }
  }

  private func apply(over object: SecretObject?, force: Bool) async throws(RemoteFailure) -> ClassifiedAnswer {
    var call = ClusterSession.Call(.patch, place.path)
    call.query = [
      ("fieldManager", SecretObject.manager), ("fieldValidation", "Strict"), ("force", force ? "true" : "false"),
    ]
    call.body = HTTPBody(
      type: "application/apply-patch+yaml", ApplyBody(place: place, object: object, set: set, remove: remove).bytes)
    call.isWrite = true
    return try await session.send(call)
  }

  /// Deletes a secret that this program created and in which nothing is left.
  private mutating func delete(_ object: SecretObject) async throws(RemoteFailure) -> Bool {
    var call = ClusterSession.Call(.delete, place.path)
    call.body = HTTPBody(type: "application/json", ApplyBody.deletion(of: object))
    call.isWrite = true
    let answer = try await session.send(call)
    switch answer.meaning {
    case .ok, .missing:
      for name in remove { settle(name, .done()) }
      return true
    case .stale: return false
    case .unreachable where answer.wasSent, .unreadable where answer.wasSent:
      await lookAgain(answer.reason)
      return true
    case .denied: throw session.failure(answer, hint: KubernetesMessages.deniedHint("delete", place))
    default: throw session.failure(answer)
    }
  }

  /// Compares the server's answer with the values that were sent.
  private mutating func compare(with now: SecretObject) {
    for (name, value) in set {
      settle(name, now.value(name).map { $0.equals(value) } ?? false ? .done() : .stale)
    }
    for name in remove {
      let isLeft = now.contains(name)
      settle(
        name,
        isLeft
          ? .refused(
            AccessFailure(.denied, KubernetesMessages.notRemoved, hint: KubernetesMessages.owned(now.owners(of: name))))
          : .done())
    }
  }

  /// Finds out after a lost answer which changes were applied.
  private mutating func lookAgain(_ reason: String) async {
    let now: SecretObject??
    do throws(RemoteFailure) { now = .some(try await session.object(place)) } catch { now = nil }
    for (name, value) in set {
      let there = now.flatMap { $0?.value(name) }
      settle(name, there.map { $0.equals(value) } ?? false ? .done() : .unknown(reason))
    }
    for name in remove {
      let isGone = if let now { !(now?.contains(name) ?? false) } else { false }
      settle(name, isGone ? .done() : .unknown(reason))
    }
  }
}
