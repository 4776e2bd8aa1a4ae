internal import KeyplanModel

extension AmendmentDraft {
  /// Accepts the value at a target as the key's new value: a fix that was made there by hand stays. For a part, also those of the other
  /// parts, at this target or at another one.
  mutating func accept(_ name: String, at target: Identifier<Target>) {
    guard let place = recorded.targets[target], let entry = place.entries[name] else { return }
    // The next apply would make the value again.
    if let made = parts(composing: entry.key) {
      return report(.entry(target, name: name, place.destination, .composed(entry.key, of: made)))
    }
    let parts = records(of: entry.key).parts.map(\.key)
    var after = recorded
    var left: [Identifier<Key>] = []
    var areKept: Set<Bool> = []
    for part in parts {
      let found = part == entry.key ? (target, name) : self.place(of: part, preferring: target)
      guard let found, let acceptance = accept(found.1, at: found.0, &after) else {
        left.append(part)
        continue
      }
      areKept.insert(acceptance.mark != nil)
    }
    // Storing the value of one part and leaving that of another at its target would give a pair that does not work.
    guard left.isEmpty && areKept.count == 1 else {
      let isNothing = steps.isEmpty
      steps = []
      guard !isNothing else { return }
      let others = left.isEmpty ? parts.filter { $0 != entry.key } : left
      return report(.entry(target, name: name, place.destination, .partsApart(others)))
    }
    let origins = parts.compactMap { part in
      after.keys[part].map { origin(of: $0.version.fingerprint, as: part, in: $0) }
    }
    guard areKept != [false] || Set(origins).count == 1 else {
      steps = []
      return report(.entry(target, name: name, place.destination, .partsMixed(parts)))
    }
    look(ahead: after, at: parts)
  }

  /// A key that a provider made: the commit that forgot its record, if it was, and the number of its version.
  private struct MadeKey: Hashable {
    let forgotten: Int64?
    let number: Int64
  }

  /// The made key that a part's value is known to be of; nil for any other value.
  private func origin(of value: Fingerprint, as part: Identifier<Key>, in record: KeyRecord) -> MadeKey? {
    let known = [(nil, record)] + recorded.forgotten.filter { $0.key == part }.map { ($0.serial, $0.record) }
    for (serial, record) in known as [(Int64?, KeyRecord)] {
      for version in record.storedVersions where version.fingerprint == value && version.isMade {
        return MadeKey(forgotten: serial, number: version.number)
      }
    }
    return nil
  }

  /// A name under which a target has the value of a part.
  private func place(
    of part: Identifier<Key>, preferring target: Identifier<Target>
  ) -> (Identifier<Target>, String)? {
    let names = recorded.targets.inOrder.flatMap { id, record in
      record.entries.inOrder.filter { $0.value.key == part }.map { (id, $0.key) }
    }
    return names.first { $0.0 == target } ?? names.first
  }

  private mutating func accept(
    _ name: String, at target: Identifier<Target>, _ after: inout Recorded
  ) -> KeyAcceptance? {
    guard let place = after.targets[target], let entry = place.entries[name],
      let record = recorded.keys[entry.key]
    else { return nil }
    let id = entry.key
    if case .marks(let marks) = observed.targets[place.destination] {
      return accept(marks[name], name, at: target, place, record, &after)
    }
    guard let value = found(name, at: target, place.destination)?.fingerprint(of: id) else { return nil }
    guard value != .ofNoKey else {
      report(.entry(target, name: name, place.destination, .notText))
      return nil
    }
    guard value != record.version.fingerprint else { return nil }
    if let revocation = record.revocation(of: value) {
      report(.entry(target, name: name, place.destination, .revoked(revocation)))
      return nil
    }
    let acceptance = KeyAcceptance(
      target: target, destination: place.destination, name: name, rejected: rival(of: value, for: id))
    add(.key(id, .accept(acceptance)), on: Precondition(revision: record.revision, source: value))
    after.keys[id] = record.accepting(
      acceptance, value, number: records(of: id).nextNumber, revision: record.revision, at: now)
    after.targets[target] = place.accepting(acceptance, value, revision: place.revision, at: now)
    return acceptance
  }

  /// Leaves a value at its target that cannot be read: the name is keyplan's no longer, until the key changes.
  private mutating func accept(
    _ found: Mark??, _ name: String, at target: Identifier<Target>, _ place: TargetRecord, _ record: KeyRecord,
    _ after: inout Recorded
  ) -> KeyAcceptance? {
    guard let entry = place.entries[name] else { return nil }
    guard let found else {
      report(.entry(target, name: name, place.destination, .missing))
      return nil
    }
    guard let mark = found else {
      report(.entry(target, name: name, place.destination, .noMarks))
      return nil
    }
    guard entry.kept == nil, !entry.isOurs(marked: mark) else { return nil }
    let acceptance = KeyAcceptance(
      target: target, destination: place.destination, name: name, rejected: nil, mark: mark)
    add(.key(entry.key, .accept(acceptance)), on: Precondition(revision: record.revision))
    after.targets[target] = place.keeping(mark, under: name, revision: place.revision)
    return acceptance
  }

  private mutating func found(
    _ name: String, at target: Identifier<Target>, _ destination: Destination
  ) -> FoundEntry? {
    let issue: EntryIssue
    switch observed.targets[destination] {
    case .entries(let entries):
      guard let entry = entries[name] else {
        issue = .missing
        break
      }
      guard let failure = entry.failure else { return entry }
      issue = .failed(failure, isWhole: false)
    case .failed(let failure): issue = .failed(failure, isWhole: true)
    case .marks: return nil
    case .notAskedHere: issue = .untrusted
    case .notAllowed, nil: issue = .notAllowed
    }
    report(.entry(target, name: name, destination, issue))
    return nil
  }

  /// Accepts the source's current value, whatever was rejected before.
  mutating func acceptSource(of id: Identifier<Key>) {
    guard let record = recorded.keys[id], let key = manifest.keys[id] else { return }
    if let composition = key.composition {
      return report(.key(id, .madeOfParts(composition.parts)), at: key.place)
    }
    func origin(_ index: Int) -> Reference? { key.sources.indices.contains(index) ? key.sources[index] : nil }
    switch observed.sources[id] {
    case .value(let value, let index, let looksRight):
      guard value != record.version.fingerprint else { return }
      if let revocation = record.revocation(of: value) {
        return report(.key(id, .revokedValue(at: origin(index), revocation)), at: key.place)
      }
      if !looksRight { report(.key(id, .unexpectedFormat(provider: key.facts.provider))) }
      let write = KeyWrite(facts: key.facts, source: index)
      add(.key(id, .replace(write)), on: Precondition(revision: record.revision, source: value))
      var after = recorded
      after.keys[id] = KeyRecord.storing(write, value, over: record, revision: record.revision, at: now)
      look(ahead: after, at: [id])
    case .failed(let index, let failure):
      report(.key(id, .sourceFailed(origin(index), failure, recorded: nil)))
    case .deferred, .contentChanged, .notAskedHere: report(.key(id, .sourceUntrusted))
    case .notAllowed(let index): report(.key(id, .sourceNotAllowed(origin(index))))
    case .missing: report(.key(id, .notFound(at: key.sources, reason: observed.absences[id])))
    case .given, .wanted, nil: report(.key(id, .noSource))
    }
  }
}
