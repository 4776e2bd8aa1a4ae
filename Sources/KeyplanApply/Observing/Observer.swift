public import KeyplanCore
public import KeyplanSecrets

/// Asks the sources and the targets what is there, and turns every value into a fingerprint at once. Changes nothing.
public struct Observer: Sendable {
  var fingerprints: any Fingerprinting
  let sources: [String: any SecretSource]
  let targets: [String: any SecretTarget]
  let hear: @Sendable (Asking) -> Void

  /// One source for each scheme and one target for each type.
  /// - Parameter hear: hears what is asked and when it has answered, from any task.
  public init(
    fingerprints: any Fingerprinting, sources: [any SecretSource], targets: [any SecretTarget],
    hear: @escaping @Sendable (Asking) -> Void = { _ in }
  ) {
    self.fingerprints = fingerprints
    self.hear = hear
    self.sources = Dictionary(sources.map { ($0.scheme.name, $0) }) { first, _ in first }
    self.targets = Dictionary(targets.map { ($0.type, $0) }) { first, _ in first }
  }

  /// Looks at everything that a plan for this manifest needs to know.
  /// - Parameters:
  ///   - given: values that a person gives now, for keys whose sources are then not asked.
  ///   - identity: the public key of the identity that asks.
  ///   - selection: what alone is asked; nil for everything.
  public func observe(
    _ manifest: Manifest, recorded: Recorded, given: [Identifier<Key>: SharedSecret] = [:], identity: String? = nil,
    only selection: Selection? = nil
  ) async -> Observation {
    let moves = manifest.moves(in: recorded)
    let (observer, named) = (moving(moves), recorded.moving(moves))
    async let asked = observer.askSources(manifest, named, given, only: selection)
    async let originals = observer.askOriginals(manifest, named, given, only: selection)
    async let found = observer.askTargets(manifest, named, only: selection)
    let (findings, resembling) = await asked
    return Observation(
      recorded: recorded, sources: findings, originals: await originals, targets: await found,
      resembling: resembling, identity: identity)
  }

  /// The same for keys that are still recorded under other names: their fingerprints stay in the domains of those.
  func moving(_ moves: [Identifier<Key>: Identifier<Key>]) -> Observer {
    guard !moves.isEmpty else { return self }
    var observer = self
    observer.fingerprints = MovingFingerprints(fingerprints: fingerprints, moves: moves)
    return observer
  }

  private struct MovingFingerprints: Fingerprinting {
    let fingerprints: any Fingerprinting
    let moves: [Identifier<Key>: Identifier<Key>]

    func fingerprint(_ value: SharedSecret, of key: Identifier<Key>) -> Fingerprint {
      fingerprints.fingerprint(value, of: moves[key] ?? key)
    }

    func fingerprint(_ token: SharedSecret, of account: Identifier<Account>) -> Fingerprint {
      fingerprints.fingerprint(token, of: account)
    }
  }

  /// Whether a value looks like its provider's keys; true where nothing is known of them.
  func looksRight(_ value: SharedSecret, _ key: Key, _ manifest: Manifest) -> Bool {
    guard let format = manifest.providers[key.facts.provider]?.format else { return true }
    return value.withBytes { format.matches($0) }
  }

  /// Reads references by scheme, side by side; each different one once.
  func read(_ references: some Sequence<Reference>) async -> [Reference: SourceAnswer] {
    let byScheme = Dictionary(grouping: Set(references), by: \.scheme)
    return await withTaskGroup(of: [(Reference, SourceAnswer)].self) { group in
      for (scheme, list) in byScheme {
        let source = sources[scheme]
        group.addTask {
          guard let source else {
            return list.map { ($0, .unreachable("This version of keyplan cannot read \(scheme) sources.")) }
          }
          let name = list.count == 1 ? "\(list[0])" : "\(list.count) \(scheme) sources"
          hear(.began(name))
          defer { hear(.ended(name)) }
          return Array(zip(list, await source.read(list)))
        }
      }
      var answers: [Reference: SourceAnswer] = [:]
      for await pairs in group { for (reference, answer) in pairs { answers[reference] = answer } }
      return answers
    }
  }
}

/// That a place out there is being asked: who waits for it can be told.
public enum Asking: Hashable, Sendable {
  /// Its name for people, a reference or a target's location.
  case began(String)
  case ended(String)
}
