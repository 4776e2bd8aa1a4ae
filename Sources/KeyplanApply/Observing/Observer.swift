package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts
package import KeyplanSecrets

/// Asks the sources and the targets what is there, and turns every value into a fingerprint at once. Changes nothing.
package struct Observer: Sendable {
  var fingerprints: any Fingerprinting
  let sources: [String: any SecretSource]
  let targets: [String: any SecretTarget]
  let lanes: Lanes
  let issuers: [String: any KeyIssuing]
  let service: (any AccountService)?
  let tokens: (any TokenStore)?
  let checkout: CheckoutRules
  let clock: @Sendable () -> Moment
  let hear: @Sendable (Asking) -> Void

  /// One source for each scheme and one target for each type, of connections one for each.
  /// - Parameters:
  ///   - issuers: look up the keys that they leased.
  ///   - service: asks about calendar accounts; without it nothing is found out about any.
  ///   - tokens: has what that is asked with.
  ///   - checkout: what may be asked for and compared in the work tree.
  ///   - clock: decides whether a token has expired.
  ///   - hear: hears what is asked and when it has answered, from any task.
  package init(
    fingerprints: any Fingerprinting, sources: [any SecretSource], targets: [any SecretTarget],
    issuers: [any KeyIssuing] = [], service: (any AccountService)? = nil, tokens: (any TokenStore)? = nil,
    checkout: CheckoutRules = .trusted,
    clock: @escaping @Sendable () -> Moment = { Moment(seconds: 0) },
    hear: @escaping @Sendable (Asking) -> Void = { _ in }
  ) {
    self.fingerprints = fingerprints
    self.service = service
    self.tokens = tokens
    self.checkout = checkout
    self.clock = clock
    self.hear = hear
    self.issuers = Dictionary(issuers.map { ($0.connection.name.name, $0) }) { first, _ in first }
    self.sources = Dictionary(sources.map { ($0.scheme, $0) }) { first, _ in first }
    let lanes = Lanes()
    self.lanes = lanes
    self.targets = Dictionary(targets.map { ($0.scheme, lanes.guarding($0)) }) { first, _ in first }
  }

  /// Looks at everything that a plan for this manifest needs to know.
  /// - Parameters:
  ///   - given: values that a person gives now, for keys whose sources are then not asked.
  ///   - wanted: how apply is to generate the next values of keys that a person named.
  ///   - identities: the public keys of the identities in use.
  ///   - selection: what alone is asked; nil for everything.
  package func observe(
    _ manifest: Manifest, recorded: Recorded, given: [Identifier<Key>: SecretBox] = [:],
    wanted: [Identifier<Key>: GeneratedValue?] = [:], identities: [String] = [], only selection: Selection? = nil
  ) async -> Observation {
    let moves = manifest.moves(in: recorded)
    let (observer, named) = (moving(moves), recorded.moving(moves))
    let limits = ObservationLimits(manifest, named, checkout)
    // Not by `async let`, which can crash at its end, if rarely: the runtime up to Swift 6.3 reads a task that its parent has
    // freed (swiftlang/swift pull request 89883).
    return await withTaskGroup(of: (@Sendable (inout Observation) -> Void).self) { group in
      group.addTask {
        let asked = await observer.askSources(manifest, named, given, wanted, only: selection, within: limits)
        return {
          ($0.sources, $0.absences, $0.resembling) = (asked.findings, asked.absences, asked.resembling)
          $0.doubts = asked.doubts
        }
      }
      group.addTask {
        let originals = await observer.askOriginals(manifest, named, given, only: selection, within: limits)
        return { $0.originals = originals }
      }
      group.addTask {
        let found = await observer.askTargets(manifest, named, only: selection, within: limits)
        return {
          ($0.targets, $0.writeBlockers, $0.modes) = (found.findings, found.writeBlockers, found.modes)
          $0.placeIds = found.placeIds
        }
      }
      group.addTask {
        let leases = await observer.askLeases(manifest, named, only: selection, within: limits)
        return { $0.leases = leases }
      }
      group.addTask {
        let accounts = await observer.askAccounts(manifest, named, only: selection, within: limits)
        return { $0.accounts = accounts }
      }
      group.addTask {
        let (tokens, sharedSignIns) = await observer.askTokens(manifest, named, only: selection, within: limits)
        return { ($0.tokens, $0.sharedSignIns) = (tokens, sharedSignIns) }
      }
      var observation = Observation(recorded: recorded, identities: identities)
      observation.examined = limits.examined
      observation.pipelineFiles = limits.pipelineFiles(of: manifest)
      for await note in group { note(&observation) }
      return observation
    }
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

    func fingerprint(_ value: SecretBox, of key: Identifier<Key>) -> Fingerprint {
      fingerprints.fingerprint(value, of: moves[key] ?? key)
    }

    func fingerprint(_ token: SecretBox, of account: Identifier<Account>) -> Fingerprint {
      fingerprints.fingerprint(token, of: account)
    }
  }

  /// Whether a value looks like its provider's keys; true where nothing is known of them.
  func looksRight(_ value: SecretBox, _ format: FormatPattern?) -> Bool {
    guard let format else { return true }
    return value.withBytes { format.matches($0) }
  }

  /// Reads references, those of different schemes side by side; the answers stand in the order of the references.
  func read(_ references: [Reference]) async -> [SourceAnswer] {
    let byScheme = Dictionary(grouping: references.indices) { references[$0].scheme }
    return await withTaskGroup(of: (indices: [Int], answers: [SourceAnswer]).self) { group in
      for (scheme, indices) in byScheme {
        // Most manifests have one scheme: then all of them, and not another copy.
        let list = indices.count == references.count ? references : indices.map { references[$0] }
        group.addTask { (indices, await ask(scheme, list)) }
      }
      var answers = [SourceAnswer](repeating: .missing(), count: references.count)
      for await found in group {
        for (index, answer) in zip(found.indices, found.answers) { answers[index] = answer }
      }
      return answers
    }
  }

  /// All references of one scheme at once, so that its source can ask for each different one once.
  private func ask(_ scheme: String, _ references: [Reference]) async -> [SourceAnswer] {
    guard let source = sources[scheme] else {
      let answer = SourceAnswer.unreachable("This version of keyplan cannot read \(scheme) sources.")
      return Array(repeating: answer, count: references.count)
    }
    guard source.connection.map({ way in references.allSatisfy { $0.surface == way.surface } }) ?? true else {
      return Array(repeating: .failed(.elsewhere(scheme)), count: references.count)
    }
    let isOne = references.allSatisfy { $0 == references[0] }
    let name = isOne ? "\(references[0])" : "\(references.count) \(scheme) sources"
    hear(.began(name))
    defer { hear(.ended(name)) }
    guard let lane = lanes.lane(of: source.backend, source.connection) else { return await source.read(references) }
    return await lane.pass { await source.read(references) }
  }
}

extension AccessFailure {
  /// The connection's address changed after something was planned or written through it.
  static func elsewhere(_ connection: String) -> AccessFailure {
    AccessFailure(
      .unreadable, "The connection \(connection) leads to another place now.",
      hint: "Restore the connection, remove what uses it, and apply. Then change the connection.")
  }
}

/// That a place out there is being asked: who waits for it can be told.
package enum Asking: Hashable, Sendable {
  /// Its name for people, a reference or a target's location.
  case began(String)
  case ended(String)
}
