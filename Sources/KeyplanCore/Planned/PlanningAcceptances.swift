extension Amending {
  /// Takes what stands at a target as the key's new value: what was mended there by hand stays.
  mutating func accept(_ name: String, at target: Identifier<Target>) {
    guard let place = recorded.targets[target], let entry = place.entries[name],
      let record = recorded.keys[entry.key]
    else { return }
    let (id, address) = (entry.key, Address.entry(target, name: name))
    guard let value = found(name, at: place.destination, as: address)?.fingerprint(of: id) else { return }
    guard value != .ofNoKey else {
      return tell(
        .targetUnreadable, "\(place.destination.location) holds something under \(name) that is no text.",
        hint: "keyplan apply writes the recorded value there again.", of: address)
    }
    guard value != record.version.fingerprint else { return }
    let acceptance = KeyAcceptance(
      target: target, destination: place.destination, name: name, rejected: rival(of: value, for: id))
    add(.accept(acceptance), at: .key(id), on: Ground(revision: record.revision, source: value))
    var after = recorded
    after.keys[id] = record.accepting(acceptance, value, revision: record.revision, at: now)
    after.targets[target] = place.accepting(acceptance, value, revision: place.revision, at: now)
    look(ahead: after, at: id)
  }

  private mutating func found(_ name: String, at destination: Destination, as address: Address) -> FoundEntry? {
    switch observed.targets[destination] {
    case .entries(let entries):
      if let entry = entries[name] { return entry }
      tell(
        .secretNotFound, "\(destination.location) has nothing under \(name).",
        hint: "keyplan apply writes the recorded value there again.", of: address)
    case .unreachable(let reason): tell(.targetUnreachable, reason, of: address)
    case .unreadable(let reason): tell(.targetUnreadable, reason, of: address)
    case .writeOnly:
      tell(
        .targetUnreadable, "\(destination.location) takes values and never shows them.",
        hint: "Give the key the value with its source, or keyplan keys set.", of: address)
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
      add(.replace(write), at: .key(id), on: Ground(revision: record.revision, source: value))
      var after = recorded
      after.keys[id] = KeyRecord.storing(write, value, over: record, revision: record.revision, at: now)
      look(ahead: after, at: id)
    case .unreachable(let index, let reason): tell(.sourceUnreachable, "\(origin(index)): \(reason)", of: .key(id))
    case .unreadable(let index, let reason): tell(.sourceUnreadable, "\(origin(index)): \(reason)", of: .key(id))
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
