import KeyplanModel
import KeyplanPlanning

/// A key that is made of others, before these are known.
struct ComposedDeclaration {
  let key: Declaration<Key, RawKey>
  let composition: Composition
  /// The location of the template.
  let place: FileLocation
  let variable: String?
  let expiry: Expiry?
}

/// The undeclared keys in templates. The list is limited: finding the nearest name takes time for each, and a manifest can have thousands.
private struct UnknownParts {
  static let limit = 50
  var reported = 0
  /// The number of those that are not listed.
  var more = 0
  /// The names that can be suggested: sorted, once there is a need.
  var names: [String]?
}

extension ManifestValidator {
  mutating func readComposed() {
    guard !composing.isEmpty else { return }
    let all = Dictionary(composing.map { ($0.key.name, $0) }) { first, _ in first }
    let order = CompositionOrder(all.mapValues(\.composition))
    composed = order
    var unknown = UnknownParts()
    for declaration in composing {
      notes.subject = .key(declaration.key.name)
      check(declaration)
      for part in declaration.composition.parts where all[part] == nil {
        checkPart(part, of: declaration, all, &unknown)
      }
    }
    if unknown.more > 0 {
      notes.subject = nil
      notes.report(
        .undeclaredName,
        unknown.more == 1
          ? "1 more place in templates names an undeclared key."
          : "\(unknown.more) more places in templates name undeclared keys.",
        hint: "Correct those above, and validate again.", at: nil)
    }
    report(order, all)
    for name in order.keys {
      guard let declaration = all[name] else { continue }
      notes.subject = .key(name)
      readReaders(of: declaration)
    }
    // In the order of the manifest.
    for declaration in composing { add(declaration) }
    notes.subject = nil
  }

  private mutating func add(_ declaration: ComposedDeclaration) {
    let (key, written) = (declaration.key, declaration.key.value)
    let facts = facts(
      of: key, variable: declaration.variable, ownsVariable: written.variable != nil, declaration.expiry, issued: nil,
      sources: [declaration.composition.description])
    let meant = Key(
      facts: facts, sources: [], composition: declaration.composition,
      isUnsafeNameAllowed: written.unsafeName != nil, keptFor: written.keptFor, place: key.place)
    add(meant, key.name)
  }

  /// Reports fields that a composed key cannot have.
  private mutating func check(_ declaration: ComposedDeclaration) {
    let written = declaration.key.value
    checkName(declaration.variable, of: written)
    if let issued = written.issued {
      notes.report(
        .conflict, "\"issued\" does not apply to a composed value, which is as old as the values that it is made of.",
        hint: "Leave out \"issued\".", at: issued.place)
    }
    if written.follow == .once {
      notes.report(
        .conflict, "A composed value is replaced with the values that it is made of: \"follow: once\" does not apply.",
        hint: "Leave out \"follow\".", at: declaration.key.place)
    }
    guard let provider = written.provider, providers[provider.value]?.format != nil else { return }
    notes.report(
      .questionable,
      "\(ManifestMessages.quoted(provider.value, or: "This provider")) issues its keys itself; a composed value is not one of them.",
      hint: "Write provider: generic.", at: provider.place)
  }

  private mutating func checkPart(
    _ part: Identifier<Key>, of declaration: ComposedDeclaration, _ all: [Identifier<Key>: ComposedDeclaration],
    _ unknown: inout UnknownParts
  ) {
    guard keys[part] == nil else { return }
    if let parts = partsOfKeys[part], let first = parts.first {
      notes.report(
        .conflict, "\"\(part)\" in the template has several parts.", hint: "Name one of them: {\(first)}.",
        at: declaration.place)
      return
    }
    notes.conceal(declaration.place)
    guard unknown.reported < UnknownParts.limit else {
      unknown.more += 1
      return
    }
    unknown.reported += 1
    let names = unknown.names ?? (keys.keys.map(\.name) + all.keys.map(\.name)).sorted()
    unknown.names = names
    let own = declaration.key.name.name
    if let near = notes.nearest(to: part.name, among: notes.suggests ? names.filter { $0 != own } : []) {
      notes.report(
        .undeclaredName, "Unknown key \"\(part)\" in the template.", hint: ManifestMessages.didYouMean(near),
        at: declaration.place)
    } else {
      // It may be a password that was put in braces.
      let place = declaration.composition.place(of: part) ?? 1
      notes.report(
        .undeclaredName, "Place \(place) of the template names an undeclared key.",
        hint: "Declare it under `keys`. For a brace, write {{.", at: declaration.place)
    }
  }

  private mutating func report(_ order: CompositionOrder, _ all: [Identifier<Key>: ComposedDeclaration]) {
    for circle in order.circles {
      guard let first = circle.first else { continue }
      notes.subject = .key(first)
      let shown = circle.count <= 8 ? circle.map(\.name) : circle.prefix(7).map(\.name) + ["…"]
      notes.report(
        .conflict, "The value is made of itself: \((shown + [first.name]).joined(separator: " → ")).",
        hint: "Remove one of the names from its template.", at: all[first]?.place)
    }
    // Those that are made of them are as wrong, and need no report of their own.
    for name in order.keys where order.depths[name] == Composition.depthLimit + 1 {
      notes.subject = .key(name)
      notes.report(
        .invalidValue,
        "The value is made of composed values in more than \(Composition.depthLimit) levels.",
        hint: "Write what they are made of into the template.", at: all[name]?.place)
    }
    notes.subject = nil
  }

  /// The recipients of a composed value: those who can open all of its parts.
  private mutating func readReaders(of declaration: ComposedDeclaration) {
    let name = declaration.key.name
    var common: Set<Identifier<Recipient>>?
    for part in declaration.composition.parts {
      guard let own = readers[part] else { continue }
      common = common.map { $0.intersection(own) } ?? Set(own)
    }
    guard let common else { return }
    let restricted = declaration.composition.parts.filter { readers[$0] != nil }.map { "\"\($0)\"" }
    guard !common.isEmpty else {
      notes.report(
        .conflict,
        "No recipient can open all values that this one is made of: \(restricted.joined(separator: ", ")).",
        hint: "Name a common recipient in their `recipients`.", at: declaration.place)
      return
    }
    guard let own = readers[name] else {
      readers[name] = common.sorted()
      return
    }
    let others = Set(own).subtracting(common).sorted()
    guard let other = others.first else { return }
    notes.report(
      .conflict,
      "The value is for \"\(other)\", who cannot open all values that it is made of: \(restricted.joined(separator: ", ")).",
      hint: "Leave out \"\(other)\", or leave out `recipients`: those of the values apply.", at: declaration.key.place)
  }
}
