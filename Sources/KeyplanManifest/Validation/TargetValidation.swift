import KeyplanModel
import KeyplanPlanning

extension ManifestValidator {
  mutating func readTargets() {
    var owners: [String: Identifier<Target>] = [:]
    for target in raw.targets {
      notes.subject = .target(target.name)
      guard let type = target.value.type, let backend = reader.backends.target(type.value), let grammar = backend.target
      else {
        _ = entries(of: target.value, nil, at: target.place)
        continue
      }
      let (entries, names) = entries(of: target.value, (type.value, grammar), at: target.place)
      checkNames(of: target.value, grammar, entries)
      let destination = destination(of: target, backend, grammar, names, &owners)
      guard backend.isSupported, target.value.unsupported == nil else {
        let what = target.value.unsupported.flatMap { backend.isSupported ? $0 : nil } ?? "\(type.value) targets"
        unsupported.append(.init(.target(target.name), what, place: target.place))
        continue
      }
      guard let destination else { continue }
      targets[target.name] = Target(
        destination: destination, entries: entries.sorted { $0.sortKey < $1.sortKey },
        takeOver: target.value.takeOver, areUnsafeNamesAllowed: target.value.unsafeName != nil,
        areNamesVariables: grammar.names.areVariables, mode: target.value.mode, hook: target.value.hook,
        takesEffect: grammar.takesEffect, notices: notices(of: grammar, through: target.value.connection),
        place: target.place)
    }
    notes.subject = nil
  }

  /// Side effects at the service that apply to the fields of this connection or their defaults.
  private func notices(of grammar: TargetGrammar, through connection: Connection?) -> [TargetNotice] {
    grammar.notices.filter { notice in
      notice.fields.allSatisfy { connection?.values[$0.key] == .text($0.value) }
    }
  }

  /// Nil, with a diagnostic, if the destination is invalid.
  private mutating func destination(
    of target: Declaration<Target, RawTarget>, _ backend: BackendDescription, _ grammar: TargetGrammar,
    _ names: Set<String>,
    _ owners: inout [String: Identifier<Target>]
  ) -> Destination? {
    guard grammar.isFile else {
      guard target.value.isComplete else { return nil }
      let connection = target.value.connection
      if let connection {
        for field in grammar.fields where field.isAccess {
          guard let text = target.value.parts[field.name] else { continue }
          accessTerms[connection.name, default: []].insert("\(field.name) \(QuotedWord.quoted(text))")
        }
      }
      if let doubled = target.value.parts["path"].flatMap({ ManifestMessages.doubledPart(in: $0, of: backend) }) {
        notes.report(.questionable, doubled.detail, hint: doubled.hint, at: target.place)
      }
      let type = connection?.name.name ?? backend.name
      let location = grammar.location(of: target.value.parts, through: connection)
      if let other = owners.updateValue(target.name, forKey: "\(type) \(location)") {
        notes.report(
          .conflict, "Target \"\(other)\" has the same destination. A destination can have only one target.",
          at: target.place)
      }
      return Destination(type: type, location: location, surface: connection?.surface ?? backend.access(at: location))
    }
    guard let written = target.value.path else { return nil }
    guard let path = RelativePath(written.value) else {
      notes.report(
        .invalidValue, "\"path\" is not the path of a file.", hint: "For example, .env.local.", at: written.place)
      return nil
    }
    notes.questionVariable(in: path, at: written.place)
    if let other = owners.updateValue(target.name, forKey: path.text) {
      notes.report(
        .conflict, "Target \"\(other)\" has the same file. A file can have only one target.", at: written.place)
    } else {
      targetFiles.append(
        ManifestReader.TargetFile(
          target: target.name, path: path.text, isOutside: path.surface != nil, isEncrypted: backend.isEncrypted,
          names: names, place: written.place))
    }
    return Destination(type: backend.name, location: path.text, surface: path.surface)
  }

  /// The entries, and all names that they may write.
  private mutating func entries(
    of target: RawTarget, _ kind: (type: String, grammar: TargetGrammar)?, at place: FileLocation
  ) -> ([Target.Entry], names: Set<String>) {
    let rule = kind?.grammar.names ?? .text
    var entries: [Target.Entry] = []
    var lines: [String: Int] = [:]
    var names: Set<String> = []
    for written in target.entries {
      guard let (feed, fed) = feed(written.feed) else { continue }
      let entry = Target.Entry(written.name, from: feed)
      guard fits(entry, written, fed) else { continue }
      entries.append(entry)
      for name in fed.names(under: entry.name) {
        names.insert(name)
        // Names in the manifest itself are checked at their own location.
        if case .variable = written.name, let kind, let fault = rule.fault(in: name) {
          notes.report(.invalidValue, fault.detail(kind.type), at: written.place)
        }
        guard let line = lines.updateValue(written.place.line, forKey: rule.identity(of: name)) else { continue }
        notes.report(
          .conflict,
          "\(ManifestMessages.quoted(name, or: "A name")) is also written by the entry in line \(line).",
          at: written.place)
      }
    }
    if let kind, let limit = kind.grammar.limits.names, names.count > limit {
      notes.report(
        .invalidValue, "\(kind.type): a target can have at most \(limit) names; this one has \(names.count).",
        hint: "Split it into several targets.", at: place)
    }
    return (entries, names)
  }

  /// Names from the keys' variables are checked with the keys.
  private mutating func checkNames(
    of target: RawTarget, _ grammar: TargetGrammar, _ entries: [Target.Entry]
  ) {
    func names(_ name: Target.Entry.Name) -> [String] {
      switch name {
      case .fixed(let name): [name]
      case .byProvider(let names): names.values.sorted()
      case .variable: []
      }
    }
    guard let place = target.unsafeName else {
      guard grammar.names.areVariables else { return }
      for entry in target.entries {
        for name in names(entry.name) { reportUnsafe(name, of: "the target", at: entry.place) }
      }
      return
    }
    if !entries.contains(where: { names($0.name).contains(where: VariableName.isUnsafe) }) {
      notes.report(
        .questionable, "None of the target's names needs \"unsafeName\".", hint: "Leave out \"unsafeName\".", at: place)
    }
  }

  /// The keys that may feed an entry. Nil, with a diagnostic, if they are not declared.
  private mutating func feed(_ written: Located<RawFeed>) -> (Target.Entry.Feed, TargetFeed)? {
    switch written.value {
    case .key(let name):
      if let key = Identifier<Key>(name), keys[key] != nil { return (.key(key), fed(by: [key])) }
      if let parts = Identifier<Key>(name).flatMap({ partsOfKeys[$0] }) {
        notes.report(
          .conflict, "\"\(name)\" has several parts.",
          hint: "Write one of them: \(parts.map(\.name).joined(separator: ", ")).", at: written.place)
        return nil
      }
      let slot = name.hasPrefix("slot.") ? String(name.dropFirst("slot.".count)) : name
      guard Identifier<Slot>(slot).map({ slots[$0] != nil }) == true else {
        undeclared("key", Located(value: name, place: written.place), among: { $0.keys.keys.map(\.name) })
        return nil
      }
      notes.report(
        .undeclaredName, "\"\(name)\" is a slot, not a key.", hint: "Write active.\(slot).",
        at: written.place)
    case .slot(let name):
      if let slot = Identifier<Slot>(name), let candidates = slots[slot]?.candidates {
        if let known = fedBySlot[slot] { return (.slot(slot), known) }
        let fed = fed(by: candidates)
        fedBySlot[slot] = fed
        return (.slot(slot), fed)
      }
      // A slot with unreadable candidates has been reported.
      guard !unreadableSlots.contains(name) else { return nil }
      undeclared("slot", Located(value: name, place: written.place), among: { $0.slots.keys.map(\.name) })
    }
    return nil
  }

  /// Summarizes keys. A key with an unknown provider has been reported, and is ignored.
  private func fed(by candidates: [Identifier<Key>]) -> TargetFeed {
    var fed = TargetFeed()
    var variables: Set<String> = []
    for key in candidates {
      guard let facts = keys[key]?.facts, providers[facts.provider] != nil else { continue }
      if fed.providers[facts.provider] == nil { fed.providers[facts.provider] = key }
      if let variable = facts.variable { variables.insert(variable) } else { fed.nameless = fed.nameless ?? key }
    }
    fed.variables = variables.sorted()
    return fed
  }

  private mutating func fits(_ entry: Target.Entry, _ written: RawEntry, _ fed: TargetFeed) -> Bool {
    let place = written.feed.place
    switch entry.name {
    case .fixed:
      guard fed.providers.count > 1 else { return true }
      notes.report(
        .conflict,
        "The slot has keys of several providers (\(fed.providers.keys.sorted().joined(separator: ", "))). Under a single "
          + "name, a key of one provider would be sent to another.",
        hint: "Use it for \"*\", or map names by provider: { from: active.SLOT, names: { PROVIDER: NAME } }.",
        at: place)
      return false
    case .variable:
      guard let key = fed.nameless else { return true }
      notes.report(
        .missingField, "\"\(key)\" has no variable, which \"*\" needs.",
        hint: "Give the key a variable, or write a name instead of \"*\".", at: place)
      return false
    case .byProvider(let names):
      for provider in names.keys.sorted() where !isDeclared(provider: provider) {
        undeclared("provider", Located(value: provider, place: written.place), among: { Array($0.providers.keys) })
      }
      for (provider, key) in fed.providers.sorted(by: { $0.key < $1.key }) where names[provider] == nil {
        notes.report(
          .questionable, "\"\(key)\" would not be written: there is no name for its provider, \(provider).",
          hint: "Add \(provider) to \"names\".", at: written.place)
      }
      return true
    }
  }

  func isDeclared(provider: String) -> Bool {
    providers[provider] != nil || declaredProviders.contains(provider) || reader.catalog.names.contains(provider)
  }
}

/// The summary of an entry's key or slot, made once, however many targets a slot feeds.
struct TargetFeed {
  /// The providers, each with its first key.
  var providers: [String: Identifier<Key>] = [:]
  /// The variables, sorted, without duplicates.
  var variables: [String] = []
  /// The first key without a variable.
  var nameless: Identifier<Key>?

  func names(under name: Target.Entry.Name) -> [String] {
    switch name {
    case .fixed(let name): [name]
    case .variable: variables
    case .byProvider(let names): Set(providers.keys.compactMap { names[$0] }).sorted()
    }
  }
}

extension Target.Entry {
  /// Sorts entries by name, then by key or slot.
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
