import KeyplanModel
import KeyplanPlanning

extension ManifestValidator {
  mutating func readKeys() {
    let declared = Dictionary(raw.providers.map { ($0.name.name, $0.value) }) { first, _ in first }
    let policies = Dictionary(raw.policies.map { ($0.name.name, $0.value) }) { first, _ in first }
    keys.reserveCapacity(raw.keys.count)
    keysAsDeclared.reserveCapacity(raw.keys.count)
    for key in raw.keys {
      notes.subject = .key(key.name)
      read(key, declared, policies)
    }
    notes.subject = nil
  }

  private mutating func read(
    _ key: Declaration<Key, RawKey>, _ declared: [String: RawProvider], _ policies: [String: Expiry?]
  ) {
    let written = key.value
    // Always looked up, even if the key names its variable: an unknown provider is an error, and a known one has a
    // format.
    var conventional: String?
    if let provider = written.provider { conventional = self.provider(provider, declared)?.variable }
    let expiry = expiry(
      written.expires, policies,
      rotation: (
        written.generated != nil || written.minted != nil,
        "Use then: warn or then: retire. For a secret of your own, write source: { generate: hex }; for a key that keyplan "
          + "is to have made, source: { mint: CONNECTION }."
      ))
    checkMinted(written)
    if let minted = written.minted {
      return readMinted(key, minted.value, variable: written.variable?.value ?? conventional, expiry)
    }
    let variable = written.variable?.value ?? conventional
    if let composed = written.composed {
      // One that could not be read was reported.
      guard let composition = composed.value else { return }
      composing.append(
        ComposedDeclaration(
          key: key, composition: composition, place: composed.place, variable: variable, expiry: expiry))
      return
    }
    checkName(variable, of: written)
    let sources = readable(written.sources ?? [], of: key)
    let generated = written.generated?.value
    checkGenerated(written)
    let facts = facts(
      of: key, variable: variable, ownsVariable: written.variable != nil, expiry, issued: written.issued?.value,
      sources: generated.map { [$0.description] } ?? sources.map(\.description))
    let meant = Key(
      facts: facts, sources: sources, generated: generated, follow: written.follow,
      isUnsafeNameAllowed: written.unsafeName != nil, keptFor: written.keptFor, place: key.place)
    add(meant, key.name)
  }

  /// - Parameter sources: the texts of its value's sources.
  func facts(
    of key: Declaration<Key, RawKey>, variable: String?, ownsVariable: Bool, _ expiry: Expiry?, issued: Moment?,
    sources: [String]
  ) -> KeyFacts {
    let written = key.value
    return KeyFacts(
      provider: written.provider?.value ?? "generic", texts: written.texts, variable: variable,
      ownsVariable: ownsVariable, expiry: expiry, issued: issued, sources: sources, isProtected: written.isProtected,
      labels: written.labels, recipients: readers[key.name])
  }

  mutating func add(_ key: Key, _ name: Identifier<Key>) {
    keys[name] = key
    keysAsDeclared.append((name, key))
  }

  private mutating func checkGenerated(_ written: RawKey) {
    guard let generated = written.generated else { return }
    if let issued = written.issued {
      notes.report(
        .conflict, "\"issued\" does not apply to a generated value, whose age counts from when it was generated.",
        hint: "Leave out \"issued\".", at: issued.place)
    }
    guard let provider = written.provider, providers[provider.value]?.format != nil else { return }
    notes.report(
      .questionable,
      "\(ManifestMessages.quoted(provider.value, or: "This provider")) issues its keys itself; a generated value is not one of them.",
      hint: "Write provider: generic, or a reference to the key as the source.", at: generated.place)
  }

  mutating func checkName(_ variable: String?, of key: RawKey) {
    guard let place = key.unsafeName else {
      if let variable { reportUnsafe(variable, of: "the key", at: key.variable?.place ?? key.provider?.place) }
      return
    }
    guard variable.map(VariableName.isUnsafe) != true else { return }
    notes.report(
      .questionable, "The key's variable does not need \"unsafeName\".", hint: "Leave out \"unsafeName\".", at: place)
  }

  /// Reports a name that needs `unsafeName: true`.
  mutating func reportUnsafe(_ name: String, of owner: String, at place: FileLocation?) {
    guard let risk = VariableName.risk(of: name) else { return }
    let what =
      switch risk {
      case .programs: "affects what programs load, run or trust."
      case .addresses: "decides where programs send credentials."
      }
    notes.report(
      .invalidValue, "\(ManifestMessages.quoted(name, or: "This")) \(what)",
      hint: "Choose another name. If it is intended, add unsafeName: true to \(owner).", at: place)
  }

  /// A key with an unsupported source is not read at all: otherwise a later source would be used instead.
  private mutating func readable(_ sources: [RawSource], of key: Declaration<Key, RawKey>) -> [Reference] {
    var readable: [Reference] = []
    for source in sources {
      switch source {
      case .supported(let reference): readable.append(reference)
      case .unsupported(let what, let place): unsupported.append(.init(.key(key.name), what, place: place))
      case .unreadable: break
      }
    }
    return readable
  }

  /// The catalog's provider combined with the manifest's declaration; each is looked up once.
  private mutating func provider(_ name: Located<String>, _ declared: [String: RawProvider]) -> Provider? {
    if let known = providers[name.value] { return known }
    let own = declared[name.value]
    let builtIn = reader.catalog.provider(name.value)
    guard own != nil || builtIn != nil else {
      undeclared(
        "provider", name, hint: "`keyplan providers` lists them; `provider: generic` is for any other.",
        among: { $0.reader.catalog.names + declared.keys })
      return nil
    }
    let provider = Provider(
      format: own?.format ?? builtIn?.format, variable: own?.variable ?? builtIn?.variable,
      isDeclared: own?.format != nil, check: own.flatMap { check(of: name.value, $0) })
    providers[name.value] = provider
    return provider
  }

  mutating func check(of name: String, _ own: RawProvider) -> DeclaredCheck? {
    guard own.address != nil, let place = own.place else { return nil }
    switch reader.catalog.check(name, own.address, own.check?.node) {
    case .success(let check): return check
    case .failure(let faults):
      for fault in faults.all { notes.report(fault, in: name, at: own.check?.place(at: fault.path) ?? place) }
      return nil
    }
  }

  mutating func readSlots() {
    for slot in raw.slots {
      guard let written = slot.value else { continue }
      notes.subject = .slot(slot.name)
      var candidates: [Identifier<Key>] = []
      var seen: Set<String> = []
      for name in written {
        guard let key = Identifier<Key>(name.value), keys.keys.contains(key) else {
          undeclared("key", name, among: { $0.keys.keys.map(\.name) })
          continue
        }
        guard seen.insert(name.value).inserted else {
          notes.report(.conflict, "\"\(key)\" is listed twice in this slot.", at: name.place)
          continue
        }
        candidates.append(key)
      }
      if !candidates.isEmpty { slots[slot.name] = Slot(candidates: candidates, place: slot.place) }
    }
    checkSharedVariables()
    notes.subject = nil
  }

  /// Reports two slots that share a variable for any choice of keys: `run` and `env` could never export both.
  private mutating func checkSharedVariables() {
    var exporting: [String: [(slot: Identifier<Slot>, keys: [Identifier<Key>])]] = [:]
    for slot in raw.slots {
      guard let keys = slots[slot.name]?.candidates else { continue }
      let variables = Set(keys.map { self.keys[$0]?.facts.variable })
      guard variables.count == 1, let variable = variables.first ?? nil else { continue }
      exporting[variable, default: []].append((slot.name, keys))
    }
    var others: [Identifier<Slot>: (slot: Identifier<Slot>, variable: String)] = [:]
    for (variable, slots) in exporting where slots.count > 1 {
      for (index, earlier) in DisjointSets(slots.map(\.keys)).earlier {
        others[slots[index].slot] = (slots[earlier].slot, variable)
      }
    }
    for slot in raw.slots {
      guard let (other, variable) = others[slot.name] else { continue }
      notes.subject = .slot(slot.name)
      notes.report(
        .conflict, "active.\(other) and active.\(slot.name) always share the variable \(variable).",
        hint: "Give the keys of one of them another `variable`.", at: slot.place)
    }
  }
}
