extension Amending {
  /// Takes what stands at a target as the key's new value: what was mended there by hand stays.
  mutating func accept(_ name: String, at target: Identifier<Target>) {
    guard let place = recorded.targets[target], let entry = place.entries[name],
      let record = recorded.keys[entry.key]
    else { return }
    let (id, address) = (entry.key, Address.entry(target, name: name))
    if case .marks(let marks) = observed.targets[place.destination] {
      return accept(marks[name], name, at: target, place, record)
    }
    guard let value = found(name, at: place.destination, as: address)?.fingerprint(of: id) else { return }
    guard value != .ofNoKey else {
      return tell(
        .targetUnreadable, "\(place.destination.location) holds something under \(name) that is no text.",
        hint: "keyplan apply writes the recorded value there again.", of: address)
    }
    guard value != record.version.fingerprint else { return }
    let acceptance = KeyAcceptance(
      target: target, destination: place.destination, name: name, rejected: rival(of: value, for: id))
    add(.accept(acceptance), at: .key(id), on: Precondition(revision: record.revision, source: value))
    var after = recorded
    after.keys[id] = record.accepting(acceptance, value, revision: record.revision, at: now)
    after.targets[target] = place.accepting(acceptance, value, revision: place.revision, at: now)
    look(ahead: after, at: id)
  }

  /// Leaves a value at its target that cannot be read: the name is keyplan's no longer, until the key changes.
  private mutating func accept(
    _ found: Mark??, _ name: String, at target: Identifier<Target>, _ place: TargetRecord, _ record: KeyRecord
  ) {
    guard let entry = place.entries[name] else { return }
    let address = Address.entry(target, name: name)
    guard let found else {
      return tell(
        .secretNotFound, "\(place.destination.location) has nothing under \(name).",
        hint: "keyplan apply writes the recorded value there again.", of: address)
    }
    guard let mark = found else {
      return tell(
        .targetUnreadable, "\(place.destination.location) shows neither values nor marks.",
        hint: "Give the key the value with its source, or keyplan keys set.", of: address)
    }
    guard entry.kept == nil, !entry.isOurs(marked: mark) else { return }
    let acceptance = KeyAcceptance(
      target: target, destination: place.destination, name: name, rejected: nil, mark: mark)
    add(.accept(acceptance), at: .key(entry.key), on: Precondition(revision: record.revision))
    var after = recorded
    after.targets[target] = place.keeping(mark, under: name, revision: place.revision)
    look(ahead: after, at: entry.key)
  }

  private mutating func found(_ name: String, at destination: Destination, as address: Address) -> FoundEntry? {
    switch observed.targets[destination] {
    case .entries(let entries):
      if let entry = entries[name] { return entry }
      tell(
        .secretNotFound, "\(destination.location) has nothing under \(name).",
        hint: "keyplan apply writes the recorded value there again.", of: address)
    case .failed(let failure): tell(failure, at: .target, failure.reason, of: address)
    case .marks: break
    case .notAskedHere:
      tell(
        .targetUnreadable, "git tracks \(destination.location), and this checkout is not trusted.",
        hint: "Run this in a trusted checkout.", of: address)
    case .notAllowed, nil:
      tell(
        .targetUnreadable, "\(destination.location) may not be touched before that was applied.",
        hint: "keyplan plan shows what is to be allowed.", of: address)
    }
    return nil
  }

  /// Takes what the source gives, whatever was rejected.
  mutating func acceptSource(of id: Identifier<Key>) {
    guard let record = recorded.keys[id], let key = manifest.keys[id] else { return }
    func origin(_ index: Int) -> String { key.sources.indices.contains(index) ? "\(key.sources[index])" : "its source" }
    switch observed.sources[id] {
    case .value(let value, let index, let looksRight):
      guard value != record.version.fingerprint else { return }
      if !looksRight {
        tell(
          .unexpectedFormat,
          "The new value of \"\(id)\" does not look like a key of \(key.facts.provider).",
          hint: "It is taken as it is: formats change. Check that it was not mixed up.", of: .key(id))
      }
      let write = KeyWrite(facts: key.facts, source: index)
      add(.replace(write), at: .key(id), on: Precondition(revision: record.revision, source: value))
      var after = recorded
      after.keys[id] = KeyRecord.storing(write, value, over: record, revision: record.revision, at: now)
      look(ahead: after, at: id)
    case .failed(let index, let failure):
      tell(failure, at: .source, "\(origin(index)): \(failure.reason)", of: .key(id))
    case .deferred, .contentChanged, .notAskedHere:
      tell(
        .sourceUnreadable, "The source of \"\(id)\" is not read in an untrusted checkout.",
        hint: "Run this in a trusted checkout.", of: .key(id))
    case .notAllowed(let index):
      tell(
        .sourceUnreadable, "\(origin(index)) may not be read before that was applied.",
        hint: "keyplan plan shows what is to be allowed.", of: .key(id))
    case .missing:
      let tried = key.sources.map(\.description).joined(separator: ", then ")
      tell(.secretNotFound, "\"\(id)\" has no value at \(tried).", of: .key(id))
    case .given, nil:
      tell(
        .secretNotFound, "\"\(id)\" has no source.", hint: "keyplan keys set \(id) gives it a value.", of: .key(id))
    }
  }
}
