import KeyplanCore
import KeyplanYAML

extension ManifestParser {
  mutating func key(_ tree: LayeredNode) -> RawKey {
    var key = RawKey()
    guard let fields = fields(tree, .key) else { return key }
    if let provider = required(
      "provider", of: fields, in: tree, hint: "A value that belongs to no provider has: provider: generic")
    {
      key.provider = text(provider, "provider")
    }
    key.model = text(fields["model"], "model")?.value
    key.sources = fields["source"].map { sources($0) }
    key.expires = fields["expires"].flatMap { expiry($0) }
    key.issued = moment(fields["issued"], "issued")
    key.variable = variable(fields["variable"], "variable")
    key.unsafeName = unsafeName(fields)
    key.follow = choice(fields["follow"], "follow", of: Key.Follow.allCases) ?? .always
    key.isProtected = flag(fields["protected"], "protected") ?? false
    key.labels = labels(fields["labels"])
    cache(fields["cache"])
    return key
  }

  private mutating func sources(_ tree: LayeredNode) -> [RawSource] {
    guard case .list(let items) = tree.content else { return [source(tree)] }
    if items.isEmpty {
      notes.note(
        .invalidValue, "The list of sources is empty.",
        hint: "Leave \"source\" out where the store itself is to be the authority.", at: tree.place)
    }
    return items.map { source($0) }
  }

  /// A policy's name, or a policy of its own.
  mutating func expiry(_ tree: LayeredNode) -> RawExpiry? {
    if case .mapping = tree.content { return policy(tree).map { .own($0) } }
    guard case .scalar = tree.content else {
      wrongType(tree, "\"expires\"", takes: "a policy's name, or after or on in a mapping")
      return nil
    }
    return text(tree, "expires").map { .policy($0) }
  }

  /// `{ after: 90d, warn: 14d, then: retire }`, or the same with `on:` and a date.
  mutating func policy(_ tree: LayeredNode) -> Expiry? {
    guard let fields = fields(tree, .policy) else { return nil }
    let after = fields["after"].flatMap { interval($0, "after") }
    let on = fields["on"].flatMap { moment($0, "on") }
    let warn = interval(fields["warn"], "warn")
    let then = choice(fields["then"], "then", of: Expiry.Consequence.allCases) ?? .warn
    switch (fields["after"], fields["on"]) {
    case (nil, nil) where fields.lacks("after", "on"):
      notes.note(
        .missingField, "When it expires is missing.", hint: "Add after: 90d, or on: 2027-03-01.", at: tree.place)
    case (.some, .some):
      notes.note(.conflict, "\"after\" and \"on\" exclude each other.", at: fields.place(of: "on"))
    default: break
    }
    if let on { return Expiry(.on(on), warn: warn ?? .days(14), then: then) }
    guard let after else { return nil }
    if let warn, warn >= after {
      notes.note(
        .invalidValue, "The warning comes \(warn.spoken) before the end of \(after.spoken): at once, and always.",
        hint: "Make \"warn\" shorter than \"after\".", at: fields["warn"]?.place)
    }
    return Expiry(
      .after(after), warn: warn ?? min(.days(14), Interval(seconds: after.seconds / 4)), then: then)
  }

  private mutating func labels(_ tree: LayeredNode?) -> [String: String] {
    guard let tree else { return [:] }
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "\"labels\"", takes: "a mapping of texts")
      return [:]
    }
    var labels: [String: String] = [:]
    for field in fields { labels[field.name] = text(field.value, "labels")?.value }
    return labels
  }

  /// Concerns readers only: held to its shape here.
  private mutating func cache(_ tree: LayeredNode?) {
    guard let tree, let fields = fields(tree, .cache) else { return }
    let fresh = interval(fields["fresh"], "fresh")
    let stale = interval(fields["stale"], "stale")
    if let fresh, let stale, stale < fresh {
      notes.note(
        .invalidValue, "\"stale\" is the hard age and cannot be shorter than \"fresh\".", at: fields["stale"]?.place)
    }
  }

  /// The slots; `active: NAME` is short for the slot `default`.
  mutating func slots(_ tree: LayeredNode?) -> [Declaration<Slot, [Located<String>]?>] {
    guard let tree, !tree.isNull else { return [] }
    if case .mapping = tree.content { return section(tree, "slot", Address.slot) { $0.candidates($1) } }
    guard let name = Identifier<Slot>("default") else { return [] }
    notes.subject = .slot(name)
    defer { notes.subject = nil }
    return [Declaration(name: name, place: tree.place, value: candidates(tree))]
  }

  /// Nil where there is nothing to check further.
  private mutating func candidates(_ tree: LayeredNode) -> [Located<String>]? {
    guard case .list(let items) = tree.content else { return text(tree, "active").map { [$0] } }
    guard !items.isEmpty else {
      notes.note(.invalidValue, "The list of keys is empty.", hint: "Name at least one key.", at: tree.place)
      return nil
    }
    let names = items.compactMap { text($0, "active") }
    return names.count == items.count ? names : nil
  }
}
