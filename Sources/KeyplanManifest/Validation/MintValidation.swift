import KeyplanModel
import KeyplanPlanning

extension ManifestValidator {
  /// Reports fields that a key made at its provider cannot have, and `parts` of any other key.
  mutating func checkMinted(_ written: RawKey) {
    guard written.minted != nil else {
      if let place = written.partsPlace {
        notes.report(
          .conflict, "Only a key that is made at its provider can have several parts: source: { mint: CONNECTION }.",
          hint: "Leave out \"parts\".", at: place)
      }
      return
    }
    if let issued = written.issued {
      notes.report(
        .conflict, "\"issued\" does not apply to a key that keyplan has made, whose age counts from then.",
        hint: "Leave out \"issued\".", at: issued.place)
    }
  }

  /// - Parameter minted: nil if it could not be read, which was reported. The names count as declared.
  mutating func readMinted(
    _ key: Declaration<Key, RawKey>, _ minted: RawMinting?, variable: String?, _ expiry: Expiry?
  ) {
    let written = key.value
    guard let minted else { return add(self.key(key, nil, variable: variable, expiry), key.name) }
    for field in minted.issuer.place.fields where field.isAccess {
      guard let text = minted.fields[field.name] else { continue }
      accessTerms[minted.connection.name, default: []].insert("\(field.name) \(QuotedWord.quoted(text))")
    }
    let place = Destination(
      type: minted.connection.name.name,
      location: minted.issuer.place.location(of: minted.fields, through: minted.connection),
      surface: minted.connection.surface)
    let names = minted.issuer.parts
    guard names.count > 1 else {
      if let place = written.partsPlace {
        notes.report(.conflict, "The keys of this connection have one part.", hint: "Leave out \"parts\".", at: place)
      }
      let part = Minting.Part(names.first ?? "key", key.name)
      let minting = Minting(key.name, [part], at: place, manual: minted.issuer.manual)
      checkName(variable, of: written)
      return add(self.key(key, minting, variable: variable, expiry), key.name)
    }
    readParts(of: key, names, at: place, minted, expiry)
  }

  private mutating func readParts(
    of key: Declaration<Key, RawKey>, _ names: [String], at place: Destination, _ minted: RawMinting, _ expiry: Expiry?
  ) {
    let written = key.value
    if let variable = written.variable {
      notes.report(
        .conflict, "A key with several parts has a variable for each: \(names.joined(separator: ", ")).",
        hint: "Write parts: { \(names.map { "\($0): …" }.joined(separator: ", ")) }.", at: variable.place)
    }
    var variables: [String: String] = [:]
    for part in written.parts ?? [] {
      guard names.contains(part.name.value) else {
        undeclared("part", part.name, among: { _ in names })
        continue
      }
      variables[part.name.value] = part.variable?.value
    }
    let parts = names.compactMap { name in Identifier<Key>(part: name, of: key.name).map { Minting.Part(name, $0) } }
    let minting = Minting(key.name, parts, at: place, manual: minted.issuer.manual)
    for part in parts {
      let variable = variables[part.name]
      if let variable, written.unsafeName == nil {
        reportUnsafe(
          variable, of: "the key", at: written.parts?.first { $0.name.value == part.name }?.variable?.place)
      }
      add(self.key(key, minting, variable: variable, ownsVariable: variable != nil, expiry), part.key)
      readers[part.key] = readers[key.name]
    }
    partsOfKeys[key.name] = parts.map(\.key)
  }

  private func key(
    _ key: Declaration<Key, RawKey>, _ minting: Minting?, variable: String?, ownsVariable: Bool? = nil,
    _ expiry: Expiry?
  ) -> Key {
    let written = key.value
    let facts = facts(
      of: key, variable: variable, ownsVariable: ownsVariable ?? (written.variable != nil), expiry, issued: nil,
      sources: minting.map { [$0.description] } ?? [])
    return Key(
      facts: facts, sources: [], minting: minting, follow: written.follow,
      isUnsafeNameAllowed: written.unsafeName != nil, keptFor: written.keptFor, place: key.place)
  }
}
