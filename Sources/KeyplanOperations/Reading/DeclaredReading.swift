internal import KeyplanApply
internal import KeyplanLocal
internal import KeyplanManifest
package import KeyplanModel
internal import KeyplanPorts
package import KeyplanReporting
package import KeyplanSecrets

/// Reads keys from their declared sources, or at one of its targets, without a store.
///
/// For programs whose manifest was deployed with them: every declared access is permitted, as there is no store with permissions.
package struct DeclaredReading {
  private let world: World
  private let project: Project
  private let manifest: Manifest

  /// The result, with the declaration of the key.
  package enum Answer: Sendable {
    case value(SecretBox, Identifier<Key>, KeyFacts)
    case missing(String)
    case failed(AccessFailure)
  }

  /// - Throws: `Failure`, and `Project.Rejected` where the manifest has errors.
  package init(in world: World) throws {
    self.world = world
    project = try Project(in: world)
    manifest = try project.manifest()
  }

  // MARK: Sources

  /// A key's value from its sources, in order.
  package func value(of name: String) async throws(Failure) -> Answer {
    guard let id = Identifier<Key>(name), let key = manifest.keys[id] else {
      return .missing("The manifest has no key \"\(name)\".")
    }
    let answers = try await value(of: id, key)
    await world.signIns.end()
    return answers
  }

  /// The value of the first of a slot's keys that has one.
  package func value(inSlot name: String) async throws(Failure) -> Answer {
    guard let slot = Identifier<Slot>(name).flatMap({ manifest.slots[$0] }) else {
      return .missing("The manifest has no slot \"\(name)\".")
    }
    var answer = Answer.missing("The slot \"\(name)\" has no keys.")
    for id in slot.candidates {
      guard let key = manifest.keys[id] else { continue }
      answer = try await value(of: id, key)
      guard case .missing = answer else { break }
    }
    await world.signIns.end()
    return answer
  }

  private func value(of id: Identifier<Key>, _ key: Key) async throws(Failure) -> Answer {
    if key.composition != nil { return try await composed(id, key) }
    guard key.generated == nil else { return .missing("The value of \"\(id)\" is generated, and only in the store.") }
    guard !key.sources.isEmpty else { return .missing("\"\(id)\" has no source: its value is in the store.") }
    let all = LocalBackends.sources(world.sourceContext(project.folder)) + (try services()).sources
    var reasons: [String] = []
    for reference in key.sources {
      guard let source = all.first(where: { $0.scheme == reference.scheme }) else {
        return .failed(
          AccessFailure(.unreadable, "\(reference): This program cannot read \(reference.scheme) sources."))
      }
      switch await source.read([reference]).first {
      case .value(let value): return .value(value, id, key.facts)
      case .missing(let reason): reasons.append(reason ?? "\(reference) has no value.")
      case .failed(let failure): return .failed(failure.at(reference))
      case nil: return .failed(AccessFailure(.unreadable, "\(reference) did not answer."))
      }
    }
    return .missing(reasons.joined(separator: " "))
  }

  /// A value that is made of others, each of which is read from its sources.
  private func composed(_ id: Identifier<Key>, _ key: Key) async throws(Failure) -> Answer {
    let order = manifest.composed.keys
    guard let end = order.firstIndex(of: id) else { return .missing("\"\(id)\" is made of itself.") }
    var needed: Set<Identifier<Key>> = [id]
    for id in order[...end].reversed() where needed.contains(id) {
      needed.formUnion(manifest.keys[id]?.composition?.parts ?? [])
    }
    var values: [Identifier<Key>: SecretBox] = [:]
    for part in needed.sorted() {
      guard let key = manifest.keys[part], key.composition == nil else { continue }
      switch try await value(of: part, key) {
      case .value(let value, _, _): values[part] = value
      case .missing(let reason): return .missing("\"\(id)\" is composed of \"\(part)\": \(reason)")
      case .failed(let failure): return .failed(failure.at("\"\(id)\" is composed of \"\(part)\""))
      }
    }
    for made in order[...end] where needed.contains(made) {
      do throws(CompositionFault) {
        values[made] = try manifest.keys[made]?.composition?.makeSecret(of: values)
      } catch {
        return .failed(AccessFailure(.unreadable, error.sentence))
      }
    }
    guard let value = values[id] else { return .missing("\"\(id)\" has no value.") }
    return .value(value, id, key.facts)
  }

  // MARK: Targets

  /// A key's value at a target, under the name that the target has for it.
  package func value(of name: String, at target: String) async throws(Failure) -> Answer {
    guard let id = Identifier<Key>(name), let key = manifest.keys[id] else {
      return .missing("The manifest has no key \"\(name)\".")
    }
    guard let place = Identifier<Target>(target).flatMap({ manifest.targets[$0] }) else {
      return .missing("The manifest has no target \"\(target)\".")
    }
    let entry = place.entries.first { $0.feed == .key(id) }
    guard let written = entry?.name(for: key.facts) else {
      return .missing("target.\(target) has no name that always has \"\(name)\".")
    }
    let all = LocalBackends.targets(project.targetContext(in: world)) + (try services()).targets
    guard let backend = all.first(where: { $0.scheme == place.destination.type }) else {
      return .failed(AccessFailure(.unreadable, "This program cannot read \(place.destination.type) targets."))
    }
    let answer = await backend.read([written], at: place.destination).withoutPlaceholders
    await world.signIns.end()
    switch answer {
    case .values(let values):
      switch values[written] {
      case .text(let value): return .value(value, id, key.facts)
      case .other: return .failed(AccessFailure(.unreadable, "\(written) at target.\(target) is not text."))
      case .failed(let failure): return .failed(failure)
      case nil: return .missing("target.\(target) has no \(written).")
      }
    case .marks:
      return .failed(AccessFailure(.unreadable, "\(place.destination.type) does not show the values that it has."))
    case .failed(let failure): return .failed(failure)
    }
  }

  private func services() throws(Failure) -> ServiceConnections {
    try ServiceConnections(manifest.connections.sorted { $0.key < $1.key }.map(\.value), of: project, in: world)
  }
}
