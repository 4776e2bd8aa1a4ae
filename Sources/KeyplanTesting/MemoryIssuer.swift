package import KeyplanModel
package import KeyplanPorts
internal import KeyplanSecrets
import Synchronization

/// An in-memory provider for tests, which makes, lists, disables and revokes keys.
package final class MemoryIssuer: KeyIssuing {
  /// The connection to this provider.
  package let connection: Connection
  /// Whether its keys have labels.
  package let hasLabels: Bool
  /// The time for which a new key may be missing from the list.
  package let listDelay: Interval
  private let parts: [String]
  private let state = Mutex(State())

  /// A key that was made.
  package struct IssuedKey: Sendable {
    /// Its id.
    package let id: String
    /// The label that it was made with.
    package let label: String
    /// Its values, by the names of the parts.
    package let values: [String: String]
    /// Whether it is disabled.
    package fileprivate(set) var isDisabled = false
    /// The number of further lists that it is missing from.
    fileprivate var hidden = 0
  }

  private struct State {
    var keys: [IssuedKey] = []
    var count = 0
    var fault: KeyIssuerFailure?
    var failing: String?
    var losesAnswer = false
    var isDelaying = false
    var delayed: [IssuedKey] = []
    var hidden = 0
    var end: Moment?
    var requests: [String] = []
  }

  /// - Parameters:
  ///   - name: the name of the connection.
  ///   - parts: the names of a key's values.
  package init(
    _ name: Identifier<Connection>, parts: [String] = ["key"], hasLabels: Bool = true, canDisable: Bool = true,
    canRenew: Bool = false, listDelay: Interval = Interval(seconds: 0)
  ) {
    let backend = BackendDescription(
      "memory-keys", connection: ConnectionGrammar([]),
      issuer: IssuerGrammar(fields: [], parts: parts, canDisable: canDisable, canRenew: canRenew))
    connection = Connection(name, to: backend)
    self.parts = parts
    self.hasLabels = hasLabels
    self.listDelay = listDelay
  }

  /// The place of all its keys.
  package var place: Destination { Destination(type: connection.name.name, location: "") }

  /// The keys that are not revoked, oldest first.
  package var keys: [IssuedKey] { state.withLock { $0.keys } }

  /// The requests that it received, in order: `mint`, `list`, `disable ID`, `revoke ID`, `exists ID`.
  package var requests: [String] { state.withLock { $0.requests } }

  /// Whether a value works.
  package func accepts(_ value: String) -> Bool {
    keys.contains { !$0.isDisabled && $0.values.values.contains(value) }
  }

  /// Makes a key without keyplan, as a person does.
  package func addForeign(_ id: String) {
    state.withLock { $0.keys.append(IssuedKey(id: id, label: "by hand", values: [parts[0]: "foreign-\(id)"])) }
  }

  /// Makes requests fail; nil ends the failure.
  /// - Parameter request: the only one that fails, such as `mint`.
  package func fail(_ failure: KeyIssuerFailure?, only request: String? = nil) {
    state.withLock { ($0.fault, $0.failing) = (failure, request) }
  }

  /// Loses the next answer to a request that makes a key.
  package func loseAnswer() { state.withLock { $0.losesAnswer = true } }

  /// Leaves the next request that makes a key without an answer, and carries it out only in `carryOutDelayed`.
  package func delayRequest() { state.withLock { $0.isDelaying = true } }

  /// Carries out the requests that were delayed.
  package func carryOutDelayed() {
    state.withLock { state in
      state.keys += state.delayed
      state.delayed = []
    }
  }

  /// Sets the end of keys that are made or renewed from now on; nil for never.
  package func endKeys(at moment: Moment?) { state.withLock { $0.end = moment } }

  /// Hides keys that are made from now on from this number of lists.
  package func hideKeys(from lists: Int) { state.withLock { $0.hidden = lists } }

  /// The keys in their order.
  package func list(at place: Destination) async throws(KeyIssuerFailure) -> [ListedKey] {
    let listed = try note("list").keys.filter { $0.hidden == 0 }
    state.withLock { state in
      for index in state.keys.indices { state.keys[index].hidden = max(0, state.keys[index].hidden - 1) }
    }
    return listed.map { ListedKey(id: $0.id, name: hasLabels ? $0.label : nil) }
  }

  /// Makes a key with values that no other key has.
  package func mint(_ label: String, at place: Destination) async throws(KeyIssuerFailure) -> MintedKey {
    let end = try note("mint").end
    let (key, isLost) = state.withLock { state in
      state.count += 1
      let number = state.count
      let values = Dictionary(uniqueKeysWithValues: parts.map { ($0, "\($0)-\(number)") })
      let key = IssuedKey(id: "id-\(number)", label: label, values: values, hidden: state.hidden)
      let isLost = state.losesAnswer || state.isDelaying
      if state.isDelaying { state.delayed.append(key) } else { state.keys.append(key) }
      (state.losesAnswer, state.isDelaying) = (false, false)
      return (key, isLost)
    }
    guard !isLost else { throw KeyIssuerFailure(.unknown, "The response was lost.") }
    return MintedKey(id: key.id, parts: KeyParts(key.values.mapValues { SecretBox(Array($0.utf8)) }), expires: end)
  }

  /// The ids of the keys with these labels.
  package func orphans(
    of labels: [String], at place: Destination
  ) async throws(KeyIssuerFailure) -> [String: [String]] {
    guard hasLabels else { throw KeyIssuerFailure(.unsupported, "Keys have no labels.") }
    let named = Dictionary(grouping: try await list(at: place)) { $0.name ?? "" }
    return named.filter { labels.contains($0.key) }.mapValues { $0.map(\.id) }
  }

  /// Disables a key.
  package func disable(
    _ id: String, label: String, at place: Destination
  ) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    _ = try note("disable \(id)")
    return state.withLock { state in
      guard let index = state.keys.firstIndex(where: { $0.id == id }) else { return .alreadyGone }
      state.keys[index].isDisabled = true
      return .done
    }
  }

  /// Removes a key.
  package func revoke(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> IssuedKeyEnd {
    _ = try note("revoke \(id)")
    return state.withLock { state in
      guard let index = state.keys.firstIndex(where: { $0.id == id }) else { return .alreadyGone }
      state.keys.remove(at: index)
      return .done
    }
  }

  /// Postpones the end of a key.
  package func renew(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Moment? {
    try note("renew \(id)").end
  }

  /// Whether it was neither revoked nor removed.
  package func exists(_ id: String, at place: Destination) async throws(KeyIssuerFailure) -> Bool? {
    try note("exists \(id)").keys.contains { $0.id == id }
  }

  /// Revokes a key without keyplan, as a person does.
  package func removeKey(_ id: String) { state.withLock { $0.keys.removeAll { $0.id == id } } }

  private func note(_ request: String) throws(KeyIssuerFailure) -> State {
    let now = state.withLock { state in
      state.requests.append(request)
      return state
    }
    if let fault = now.fault, now.failing ?? request == request { throw fault }
    return now
  }
}
