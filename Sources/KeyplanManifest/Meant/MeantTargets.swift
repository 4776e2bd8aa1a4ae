import KeyplanCore

extension ManifestMeaning {
  mutating func readTargets() {
    var owners: [String: Identifier<Target>] = [:]
    let variables = Set(keys.values.compactMap(\.facts.variable))
    for target in raw.targets {
      notes.subject = .target(target.name)
      let entries = entries(of: target.value, variables)
      guard let type = target.value.type else { continue }
      guard let written = target.value.path else {
        unsupported.append(.init(.target(target.name), "\(type.value) targets", place: target.place))
        continue
      }
      guard let path = RelativePath(written.value) else {
        notes.note(.invalidValue, "\"path\" names no file.", hint: "Such as .env.local.", at: written.place)
        continue
      }
      if let other = owners.updateValue(target.name, forKey: path.text) {
        notes.note(.conflict, "This is the file of \"\(other)\" too, and a file has one target.", at: written.place)
      }
      guard reader.targetTypes.contains(type.value) else {
        unsupported.append(.init(.target(target.name), "\(type.value) targets", place: target.place))
        continue
      }
      targets[target.name] = Target(
        destination: Destination(type: type.value, location: path.text, surface: path.surface),
        entries: entries.sorted { $0.sortKey < $1.sortKey }, takeOver: target.value.takeOver, place: target.place)
    }
    notes.subject = nil
  }

  private mutating func entries(of target: RawTarget, _ variables: Set<String>) -> [Target.Entry] {
    var entries: [Target.Entry] = []
    var names = TakenNames()
    for written in target.entries {
      guard let (feed, candidates) = feed(written.feed) else { continue }
      let entry = Target.Entry(written.name, from: feed)
      guard fits(entry, written, candidates) else { continue }
      entries.append(entry)
      for name in Set(candidates.compactMap { keys[$0].flatMap { entry.name(for: $0.facts) } }).sorted() {
        guard let line = names.take(name, in: written.place) else { continue }
        let shown = variables.contains(name) ? "\"\(name)\"" : Wording.quoted(name, or: "This name")
        notes.note(.conflict, "\(shown) would get another value from line \(line).", at: written.place)
      }
    }
    return entries
  }

  /// The keys that an entry can be fed with. Nil, and said, where they are not declared.
  private mutating func feed(_ written: Written<RawFeed>) -> (Target.Entry.Feed, [Identifier<Key>])? {
    switch written.value {
    case .key(let name):
      if let key = Identifier<Key>(name), keys[key] != nil { return (.key(key), [key]) }
      let isSlot = Identifier<Slot>(name).map { slots[$0] != nil } ?? false
      guard isSlot else {
        undeclared("key", Written(value: name, place: written.place), among: keys.keys.map(\.name))
        return nil
      }
      notes.note(
        .undeclaredName, "No key is called \"\(name)\", but a slot is.", hint: "Write active.\(name).",
        at: written.place)
    case .slot(let name):
      if let slot = Identifier<Slot>(name), let candidates = slots[slot]?.candidates {
        return (.slot(slot), candidates)
      }
      // A slot whose candidates could not be read has been spoken of.
      guard !raw.slots.contains(where: { $0.name.name == name }) else { return nil }
      undeclared("slot", Written(value: name, place: written.place), among: slots.keys.map(\.name))
    }
    return nil
  }

  private mutating func fits(_ entry: Target.Entry, _ written: RawEntry, _ candidates: [Identifier<Key>]) -> Bool {
    let place = written.feed.place
    switch entry.name {
    case .fixed:
      let providers = Set(candidates.compactMap { keys[$0]?.facts.provider })
      guard providers.count > 1 else { return true }
      notes.note(
        .conflict,
        "The slot's keys are of several providers (\(providers.sorted().joined(separator: ", "))): under one name, one "
          + "provider's key would be sent to another.",
        hint: "Feed \"*\" with it, or map names by provider: { from: active.SLOT, names: { PROVIDER: NAME } }.",
        at: place)
      return false
    case .variable:
      let nameless = candidates.filter { keys[$0]?.facts.variable == nil && isWhole($0) }
      for key in nameless {
        notes.note(
          .missingField, "\"\(key)\" has no variable to be written under.",
          hint: "Give the key a variable, or name the entry.", at: place)
      }
      return nameless.isEmpty
    case .byProvider(let names):
      for provider in names.keys.sorted() where !isDeclared(provider: provider) {
        undeclared("provider", Written(value: provider, place: written.place), among: providers.keys)
      }
      for key in candidates {
        guard let provider = keys[key]?.facts.provider, names[provider] == nil else { continue }
        notes.note(
          .questionable, "\"\(key)\" is of \(provider), for which there is no name here: it would not be written.",
          hint: "Add \(provider) to \"names\".", at: written.place)
      }
      return true
    }
  }

  /// Whether the key's provider is known, so that a missing variable is a fault of its own.
  private func isWhole(_ key: Identifier<Key>) -> Bool {
    keys[key].map { providers[$0.facts.provider] != nil } ?? false
  }

  private func isDeclared(provider: String) -> Bool {
    providers[provider] != nil || reader.catalog.names.contains(provider)
      || raw.providers.contains { $0.name.name == provider }
  }
}

/// The names at one target that an earlier entry has.
private struct TakenNames {
  private var lines: [String: Int] = [:]

  /// Nil, or the line of the entry that has the name already.
  mutating func take(_ name: String, in place: Place) -> Int? {
    if let line = lines[name] { return line }
    lines[name] = place.line
    return nil
  }
}

extension Target.Entry {
  /// Entries in the order of their names, and of what feeds them where that is all there is.
  fileprivate var sortKey: (String, String) {
    let feed =
      switch feed {
      case .key(let key): key.name
      case .slot(let slot): "active.\(slot)"
      }
    return switch name {
    case .fixed(let name): (name, feed)
    case .variable: ("*", feed)
    case .byProvider(let names): (names.values.min() ?? "", feed)
    }
  }
}
