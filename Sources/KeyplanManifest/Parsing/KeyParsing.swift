import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

extension ManifestParser {
  mutating func key(_ tree: LayeredNode) -> RawKey {
    var key = RawKey()
    guard let fields = fields(tree, .key) else { return key }
    if let provider = required(
      "provider", of: fields, in: tree, hint: "For a value of no particular provider, write: provider: generic")
    {
      key.provider = text(provider, "provider")
    }
    for text in KeyText.allCases { key.texts[text] = self.text(fields[text.rawValue], text.rawValue)?.value }
    key.generated = fields["source"].flatMap { generated($0) }
    key.minted = fields["source"].flatMap { minted($0) }
    key.composed = fields["source"].flatMap { composed($0) }
    if key.generated == nil, key.minted == nil, key.composed == nil {
      key.sources = fields["source"].map { sources($0) }
    }
    key.parts = fields["parts"].map { parts($0) }
    key.partsPlace = fields["parts"]?.place
    key.expires = fields["expires"].flatMap { expiry($0) }
    key.issued = fields["issued"].flatMap { tree in
      moment(tree, "issued").map { Located(value: $0, place: tree.place) }
    }
    key.variable = variable(fields["variable"], "variable")
    key.unsafeName = unsafeName(fields)
    key.follow = choice(fields["follow"], "follow", of: Key.Follow.allCases) ?? .always
    key.isProtected = flag(fields["protected"], "protected") ?? false
    key.recipients = words(fields["recipients"], "recipients")
    key.labels = labels(fields["labels"])
    key.keptFor = keptFor(fields["cache"])
    return key
  }

  private mutating func sources(_ tree: LayeredNode) -> [RawSource] {
    guard case .list(let items) = tree.content else { return [source(tree)] }
    if items.isEmpty {
      notes.report(
        .invalidValue, "The list of sources is empty.",
        hint: "Leave out \"source\" if the store itself is to be the authority.", at: tree.place)
    }
    return items.map { source($0) }
  }

  /// A policy's name, or an inline policy.
  mutating func expiry(_ tree: LayeredNode) -> RawExpiry? {
    if case .mapping(let written) = tree.content {
      let then = written.first { $0.name == "then" }?.value.place
      return policy(tree).map { .own($0, then: then ?? tree.place) }
    }
    guard case .scalar(let scalar) = tree.content, case .string = scalar.resolved else {
      var hint: String?
      if case .scalar(let scalar) = tree.content { hint = Self.inlineExpiry(for: scalar.text) }
      notes.report(
        .wrongType, "\"expires\" must be a policy's name, { after: 90d } or { on: 2027-03-01 }, not \(tree.found).",
        hint: hint.map { "Did you mean \($0)?" }, at: tree.place)
      return nil
    }
    return text(tree, "expires").map { .policy($0) }
  }

  /// The inline policy that was probably meant by a number of days, a duration or a date; nil for other texts.
  static func inlineExpiry(for text: String) -> String? {
    if let days = Int(text), days > 0 { return "{ after: \(days)d }" }
    if Interval(text) != nil { return "{ after: \(text) }" }
    return Moment(text) != nil ? "{ on: \(text) }" : nil
  }

  /// `{ after: 90d, warn: 14d, then: retire }`, or the same with `on:` and a date.
  mutating func policy(_ tree: LayeredNode) -> Expiry? {
    guard let fields = fields(tree, .policy) else { return nil }
    let after = fields["after"].flatMap { interval($0, "after") }
    let on = fields["on"].flatMap { moment($0, "on") }
    let warn = interval(fields["warn"], "warn")
    let then = choice(fields["then"], "then", of: Expiry.Consequence.allCases) ?? .warn
    let overlap = fields["overlap"].flatMap { timeOfOverlap($0) }
    if let place = fields["overlap"]?.place, then != .rotate {
      notes.report(
        .conflict, "\"overlap\" says how long a replaced key stays valid, which needs \"then: rotate\".",
        hint: "Leave out \"overlap\".", at: place)
    }
    switch (fields["after"], fields["on"]) {
    case (nil, nil) where fields.lacks("after", "on"):
      notes.report(
        .missingField, "\"after\" or \"on\" is missing.", hint: "Add after: 90d, or on: 2027-03-01.", at: tree.place)
    case (.some, .some):
      notes.report(.conflict, "\"after\" and \"on\" cannot be combined.", at: fields.place(of: "on"))
    case (nil, .some) where then == .rotate:
      notes.report(
        .conflict, "\"then: rotate\" needs \"after\": from a fixed date on, each apply would replace the value again.",
        hint: "For example, { after: 90d, then: rotate }.", at: fields["then"]?.place)
    default: break
    }
    if let on { return Expiry(.on(on), warn: warn ?? .days(14), then: then) }
    guard let after else { return nil }
    if let warn, warn >= after {
      notes.report(
        .invalidValue,
        "\"warn\" (\(warn.spoken)) is not shorter than \"after\" (\(after.spoken)), so it would always warn.",
        hint: "Make \"warn\" shorter than \"after\".", at: fields["warn"]?.place)
    }
    // Rotation is automatic: it is preceded by a warning only if `warn` is declared.
    if then == .rotate {
      return Expiry(.after(after), warn: warn ?? Interval(seconds: 0), then: then, overlap: overlap)
    }
    return Expiry(
      .after(after), warn: warn ?? min(.days(14), Interval(seconds: after.seconds / 4)), then: then)
  }

  /// `24h`, or `none` for a replaced key that is revoked by the apply that replaces it.
  private mutating func timeOfOverlap(_ tree: LayeredNode) -> Interval? {
    if case .scalar(let scalar) = tree.content, scalar.text == "none" { return Interval(seconds: 0) }
    return interval(tree, "overlap")
  }

  private mutating func labels(_ tree: LayeredNode?) -> [String: String] {
    guard let tree else { return [:] }
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "\"labels\"", mustBe: "a mapping of strings")
      return [:]
    }
    var labels: [String: String] = [:]
    for field in fields { labels[field.name] = text(field.value, "labels")?.value }
    return labels
  }

  private mutating func keptFor(_ tree: LayeredNode?) -> KeptFor {
    guard let tree, let fields = fields(tree, .cache) else { return KeptFor() }
    let fresh = interval(fields["fresh"], "fresh")
    let stale = interval(fields["stale"], "stale")
    if let fresh, let stale, stale < fresh {
      notes.report(
        .invalidValue, "\"stale\" cannot be shorter than \"fresh\".", at: fields["stale"]?.place)
    }
    return KeptFor(fresh: fresh, stale: stale)
  }

  /// The slots; `active: NAME` is an abbreviation for the slot `default`.
  /// - Parameter recipients: those that slots name for their keys.
  mutating func slots(
    _ tree: LayeredNode?, _ recipients: inout [Identifier<Slot>: [Located<String>]]
  ) -> [Declaration<Slot, [Located<String>]?>] {
    guard let tree, !tree.isNull else { return [] }
    if case .mapping = tree.content {
      let slots = section(tree, "slot", Address.slot) { $0.slot($1) }
      for slot in slots { recipients[slot.name] = slot.value.recipients }
      return slots.map { Declaration(name: $0.name, place: $0.place, value: $0.value.keys) }
    }
    guard let name = Identifier<Slot>("default") else { return [] }
    notes.subject = .slot(name)
    defer { notes.subject = nil }
    return [Declaration(name: name, place: tree.place, value: candidates(tree))]
  }

  /// A key's name, a list of them, or `{ keys: [a, b], recipients: [ops] }`.
  private mutating func slot(_ tree: LayeredNode) -> (keys: [Located<String>]?, recipients: [Located<String>]?) {
    guard case .mapping = tree.content else { return (candidates(tree), nil) }
    guard let fields = fields(tree, .slot) else { return (nil, nil) }
    return (
      required("keys", of: fields, in: tree).flatMap { candidates($0) }, words(fields["recipients"], "recipients")
    )
  }

  /// Nil if it cannot be checked further.
  private mutating func candidates(_ tree: LayeredNode) -> [Located<String>]? {
    guard case .list(let items) = tree.content else { return text(tree, "active").map { [$0] } }
    guard !items.isEmpty else {
      notes.report(.invalidValue, "The list of keys is empty.", hint: "Name at least one key.", at: tree.place)
      return nil
    }
    let names = items.compactMap { text($0, "active") }
    return names.count == items.count ? names : nil
  }
}
