internal import KeyplanCore

/// What an observation may ask for, and what it may compare: the items that were allowed under just these terms, and in an
/// untrusted checkout what is recorded.
struct ObservationLimits {
  /// What the files that commands name add to the terms of these commands.
  let examined: [ExternalAccess: Set<String>]
  private let wanted: [ExternalAccess: Set<String>]
  private let recorded: Recorded
  private let checkout: CheckoutRules

  init(_ manifest: Manifest, _ recorded: Recorded, _ checkout: CheckoutRules) {
    self.recorded = recorded
    self.checkout = checkout
    examined = Self.examined(manifest, checkout.inspector)
    wanted = manifest.surface.merging(examined) { $0.union($1) }
  }

  private static func examined(
    _ manifest: Manifest, _ inspector: (any CheckoutInspecting)?
  ) -> [ExternalAccess: Set<String>] {
    guard let inspector else { return [:] }
    var commands = manifest.migrations.compactMap(\.original) + manifest.accounts.values.flatMap(\.references)
    for key in manifest.keys.values { commands += key.sources }
    commands = commands.filter { $0.surface?.kind == .command }
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
  func permits(_ reference: Reference) -> Bool { reference.surface.map(permits) ?? true }

  /// Whether planning may read a reference that belongs to no key: not from an untrusted checkout, which could name any.
  func permitsUnrecorded(_ reference: Reference) -> Bool { isTrusted && permits(reference) }

  /// Whether a command would run files of an untrusted checkout.
  func runsUntrusted(_ reference: Reference) -> Bool {
    !isTrusted && reference.surface?.kind == .command && checkout.inspector?.runsCheckout(reference) == true
  }

  /// Why the value of a key's source is not to be looked at; nil where it is.
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
    var changed: [Identifier<Key>: String] = [:]
    for (id, reference) in asked {
      if let digest = digests[reference], recorded.keys[id]?.trackedContent != digest { changed[id] = digest }
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

  /// The destinations at which a value changes what a CI service runs.
  func pipelineFiles(of manifest: Manifest) -> Set<Destination> {
    checkout.inspector?.pipelineFiles(
      among: manifest.targets.values.map(\.destination).filter { $0.surface.map(permits) ?? true }) ?? []
  }

  /// The destinations that are not compared at all.
  func uncompared(_ destinations: [Destination]) -> Set<Destination> {
    isTrusted ? [] : checkout.inspector?.tracked(destinations) ?? []
  }
}
