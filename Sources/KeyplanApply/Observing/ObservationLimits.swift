internal import KeyplanModel
internal import KeyplanPorts

/// The accesses and comparisons that an observation may make: items that were allowed under exactly these terms, and in an
/// untrusted checkout recorded references only.
struct ObservationLimits {
  /// The terms that files named by commands add to the terms of these commands.
  let examined: [ExternalAccess: Set<String>]
  private let wanted: [ExternalAccess: Set<String>]
  /// The permissions that each connection requires, by its name.
  private let connections: [String: Passage]
  private let recorded: Recorded
  private let checkout: CheckoutRules
  /// The destinations that were written to, or may have been.
  private let places: Set<Destination>

  init(_ manifest: Manifest, _ recorded: Recorded, _ checkout: CheckoutRules) {
    self.recorded = recorded
    self.checkout = checkout
    places =
      checkout.isTrusted
      ? [] : Set(recorded.targets.values.map(\.destination) + recorded.attempts.values.map(\.destination))
    connections = Self.passages(manifest, checkout.inspector)
    examined = Self.examined(manifest, recorded, connections, checkout.inspector)
    wanted = manifest.surface.merging(examined) { $0.union($1) }
  }

  /// A connection with the permissions that it requires.
  private struct Passage {
    let connection: Connection
    /// With the digests of the files that affect its address or credentials.
    let terms: [ExternalAccess: Set<String>]
  }

  private static func passages(_ manifest: Manifest, _ inspector: (any CheckoutInspecting)?) -> [String: Passage] {
    var passages: [String: Passage] = [:]
    for (id, connection) in manifest.connections {
      var files: Set<String> = []
      if let inspector {
        files.formUnion(inspector.terms(ofFiles: connection.files).values)
        for (reference, digest) in inspector.trackedContent(of: connection.secrets) {
          files.insert(FileTerm(reference.location, FileTerm.Content(digest)).description)
        }
        files.formUnion(inspector.terms(ofConfigurationFor: connection.type))
      }
      var terms = connection.surfaceTerms
      for host in connection.hosts { terms[host]?.formUnion(files) }
      passages[id.name] = Passage(connection: connection, terms: terms)
    }
    return passages
  }

  private static func examined(
    _ manifest: Manifest, _ recorded: Recorded, _ passages: [String: Passage],
    _ inspector: (any CheckoutInspecting)?
  ) -> [ExternalAccess: Set<String>] {
    guard let inspector else { return [:] }
    var found: [ExternalAccess: Set<String>] = [:]
    for connection in manifest.usedConnections {
      guard let terms = passages[connection.name.name]?.terms else { continue }
      for host in connection.hosts { found[host, default: []].formUnion(terms[host] ?? []) }
    }
    return commandTerms(manifest, recorded, inspector).merging(found) { $0.union($1) }
  }

  private static func commandTerms(
    _ manifest: Manifest, _ recorded: Recorded, _ inspector: any CheckoutInspecting
  ) -> [ExternalAccess: Set<String>] {
    var commands = manifest.migrations.compactMap(\.original) + manifest.accounts.values.flatMap(\.references)
    for key in manifest.keys.values { commands += key.sources }
    for connection in manifest.usedConnections { commands += connection.secrets }
    commands = commands.filter { $0.surface?.kind == .command } + manifest.hooks.values
    // Values are withdrawn from recorded places by the commands that were allowed for them, too.
    let places =
      manifest.targets.values.map(\.destination) + recorded.targets.values.map(\.destination)
      + recorded.attempts.values.map(\.destination)
    for place in places { commands += place.commands?.all ?? [] }
    guard !commands.isEmpty else { return [:] }
    var examined: [ExternalAccess: Set<String>] = [:]
    for (reference, terms) in inspector.terms(of: commands) where !terms.isEmpty {
      if let item = reference.surface { examined[item, default: []].formUnion(terms) }
    }
    return examined
  }

  /// Whether nothing limits what is compared.
  var isTrusted: Bool { checkout.isTrusted }

  /// Whether an item was allowed, under all terms that it has now.
  func permits(_ item: ExternalAccess) -> Bool { recorded.surface.permits(item, with: wanted[item] ?? []) }

  /// The terms of an item now.
  func terms(of item: ExternalAccess) -> Set<String> { wanted[item] ?? [] }

  /// Whether a reference may be read, as far as its surface is concerned.
  func permits(_ reference: Reference) -> Bool {
    guard let passage = passage(named: reference.scheme) else { return reference.surface.map(permits) ?? true }
    return permits(passage)
  }

  /// Whether a place may be read, as far as its surface is concerned.
  func permits(_ destination: Destination) -> Bool {
    guard let passage = passage(named: destination.type), passage.connection.leads(to: destination) else {
      return destination.surface.map(permits) ?? true
    }
    return permits(passage)
  }

  /// Whether keys at a place can be renewed through a connection that leads there.
  func canRenew(at place: Destination) -> Bool {
    guard let connection = passage(named: place.type)?.connection else { return false }
    return connection.canRenew && connection.leads(to: place)
  }

  /// The first permission that a connection lacks and that the plan does not grant; nil if there is none, or if the scheme is not
  /// a connection.
  func forbidden(_ scheme: String, allowing: Set<Address>) -> ExternalAccess? {
    guard let passage = passage(named: scheme) else { return nil }
    return passage.terms.filter { !allowing.contains(.surface($0)) && !permits($0, $1) }.keys.min()
  }

  /// Whether a connection may be used, as far as its surface is concerned, and runs nothing of an untrusted checkout.
  func permits(_ connection: Connection) -> Bool {
    guard let passage = passage(named: connection.name.name) else { return false }
    return permits(passage) && !connection.secrets.contains(where: runsUntrusted)
  }

  private func passage(named scheme: String) -> Passage? { connections.isEmpty ? nil : connections[scheme] }

  /// Compares its own terms only: other connections to the same host do not affect it.
  private func permits(_ passage: Passage) -> Bool {
    passage.terms.allSatisfy(permits)
  }

  private func permits(_ item: ExternalAccess, _ terms: Set<String>) -> Bool {
    item.kind == .host ? recorded.surface.permits(item, with: terms) : permits(item)
  }

  /// Whether planning may read a reference that belongs to no key: not from an untrusted checkout, which could name any.
  func permitsUnrecorded(_ reference: Reference) -> Bool { isTrusted && permits(reference) }

  /// Whether a command would run files of an untrusted checkout.
  func runsUntrusted(_ reference: Reference) -> Bool {
    guard !isTrusted else { return false }
    if let passage = passage(named: reference.scheme) {
      return passage.connection.secrets.contains(where: runsUntrusted)
    }
    return reference.surface?.kind == .command && checkout.inspector?.runsCheckout(reference) == true
  }

  /// Whether asking a place would run files of an untrusted checkout.
  func runsUntrusted(_ destination: Destination) -> Bool {
    guard !isTrusted else { return false }
    if let commands = destination.commands { return commands.all.contains(where: runsUntrusted) }
    return passage(named: destination.type)?.connection.secrets.contains(where: runsUntrusted) == true
  }

  /// The reason that the value of a key's source is not looked at; nil if it is.
  func obstacle(_ reference: Reference, at index: Int, of key: Identifier<Key>) -> SourceFinding? {
    let isRecorded = recorded.keys[key]?.facts.sources.contains(reference.description) == true
    guard isTrusted || isRecorded else { return .deferred }
    guard permits(reference) else { return .notAllowed(index: index) }
    return runsUntrusted(reference) ? .notAskedHere(index: index) : nil
  }

  /// In an untrusted checkout, the digests of tracked files whose content is not as recorded for these keys.
  func changedContent(of asked: [(id: Identifier<Key>, reference: Reference)]) -> [Identifier<Key>: String] {
    guard !isTrusted, let inspector = checkout.inspector else { return [:] }
    let digests = inspector.trackedContent(of: asked.map(\.reference))
    guard !digests.isEmpty else { return [:] }
    var changed: [Identifier<Key>: String] = [:]
    for (id, reference) in asked {
      guard let digest = digests[reference] else { continue }
      // Unknown content is never equal to recorded content, which may have been unknown too.
      guard FileTerm.Content(digest).reason != nil || recorded.keys[id]?.trackedContent != digest else { continue }
      changed[id] = digest
    }
    return changed
  }

  /// The format that a key's values are held to. In an untrusted checkout only a built-in one of the recorded provider: a
  /// pattern or provider of somebody's choice would be a question about the value.
  func format(of id: Identifier<Key>, _ key: Key, in manifest: Manifest) -> FormatPattern? {
    guard let provider = manifest.providers[key.facts.provider] else { return nil }
    guard !isTrusted else { return provider.format }
    return !provider.isDeclared && recorded.keys[id]?.facts.provider == key.facts.provider ? provider.format : nil
  }

  /// The format that a value is held to that is read at apply only. In an untrusted checkout none that the manifest declares: each
  /// apply would answer one question about the value.
  func formatAtApply(_ key: Key, in manifest: Manifest) -> FormatPattern? {
    guard let provider = manifest.providers[key.facts.provider] else { return nil }
    return isTrusted || !provider.isDeclared ? provider.format : nil
  }

  /// The destinations at which a value changes what a CI service runs.
  func pipelineFiles(of manifest: Manifest) -> Set<Destination> {
    checkout.inspector?.pipelineFiles(
      among: manifest.targets.values.map(\.destination).filter { $0.commands == nil && permits($0) }) ?? []
  }

  /// Whether something was written to a place, or may have been. In an untrusted checkout others are not asked through a connection:
  /// the answer would say which names exist at a place of somebody's choice.
  func mayAsk(_ destination: Destination) -> Bool {
    isTrusted || passage(named: destination.type) == nil || isRecorded(destination)
  }

  /// Whether it may be said where in a file, and why, a parser stopped.
  func mayQuote(_ destination: Destination) -> Bool { isTrusted || isRecorded(destination) }

  private func isRecorded(_ destination: Destination) -> Bool { places.contains(destination) }

  /// The destinations that are not compared at all.
  func uncompared(_ destinations: [Destination]) -> Set<Destination> {
    // The text of a command is not a path.
    isTrusted ? [] : checkout.inspector?.tracked(destinations.filter { $0.commands == nil }) ?? []
  }
}
