import KeyplanModel
import KeyplanPlanning
import KeyplanYAML

/// Parses a tree to a raw manifest, section by section.
struct ManifestParser {
  let reader: ManifestReader
  var notes: DiagnosticSink
  /// The declared connections, whose names are used as schemes.
  var connections: [String: RawConnection] = [:]
  /// The connections that can be used, also those of a backend's own name that something uses.
  var usable: [Identifier<Connection>: Connection] = [:]
  /// Whether a connection is being parsed, whose credentials must not come through another one.
  var isInConnection = false
  /// The paths parsed so far: nearly all references use the same few files.
  private var paths: [String: RelativePath] = [:]

  init(reader: ManifestReader, notes: DiagnosticSink) {
    self.reader = reader
    self.notes = notes
  }

  mutating func path(_ written: String) -> RelativePath? {
    if let known = paths[written] { return known }
    paths[written] = RelativePath(written)
    return paths[written]
  }

  mutating func manifest(_ tree: LayeredNode) -> RawManifest {
    var raw = RawManifest()
    guard let fields = fields(tree, .manifest) else { return raw }
    version(fields, of: tree)
    raw.defaultEnvironment = defaultEnvironment(fields["defaultEnvironment"])
    raw.connections = connections(fields["connections"])
    raw.store = store(fields["store"])
    if let recipients = fields["recipients"], !recipients.isNull {
      notes.subject = .recipients
      raw.recipients = section(recipients, "recipient") { $0.recipient($1) }
      raw.recipientsPlace = recipients.place
      notes.subject = nil
    }
    raw.providers = section(fields["providers"], "provider") { $0.provider($1) }
    raw.policies = section(fields["policies"], "policy") { $0.policy($1) }
    raw.exposedFor = interval(in: fields["exposed"], .exposed, "by", example: "30d")
    raw.verifiedEvery = interval(in: fields["verify"], .verify, "every", example: "24h")
    raw.keys = section(fields["keys"], "key", Address.key) { $0.key($1) }
    raw.slots = slots(fields["active"], &raw.slotRecipients)
    raw.calendars = section(fields["calendars"], "calendar", Address.calendar) { $0.calendar($1) }
    raw.targets = section(fields["targets"], "target", Address.target) { $0.target($1) }
    raw.migrations = migrations(fields["migrations"])
    raw.rules = section(fields["rules"], "rule") { $0.rule($1) }
    raw.usable = usable
    return raw
  }

  private mutating func version(_ fields: Fields, of tree: LayeredNode) {
    // Only JSON, or YAML in its form, can write an empty mapping.
    let isEmpty = if case .mapping(let written) = tree.content { written.isEmpty } else { false }
    let hint =
      isEmpty
      ? "Begin with: version: 1. In JSON: {\"version\": 1, \"keys\": {}}. `keyplan schema manifest` lists all fields."
      : "Begin with: version: 1"
    guard let version = required("version", of: fields, in: tree, hint: hint) else { return }
    guard case .scalar(let scalar) = version.content, case .int(let number) = scalar.resolved else {
      return wrongType(version, "\"version\"", mustBe: "the number 1")
    }
    if number != 1 {
      notes.report(
        .invalidValue, "This version of keyplan supports version 1 of the manifest, not \(number).", at: version.place)
    }
  }

  private mutating func defaultEnvironment(_ tree: LayeredNode?) -> Located<String>? {
    guard let name = text(tree, "defaultEnvironment") else { return nil }
    guard Identifier<Manifest>(name.value) != nil else {
      notes.report(.invalidValue, "An environment's name consists of a-z, 0-9, - and _.", at: name.place)
      return nil
    }
    return name
  }

  /// `{ by: 30d }`: a section of one field.
  private mutating func interval(
    in tree: LayeredNode?, _ shape: Shape, _ name: String, example: String
  ) -> Interval? {
    guard let tree, !tree.isNull, let fields = fields(tree, shape) else { return nil }
    guard let field = fields[name] else {
      if fields.lacks(name) {
        notes.report(.missingField, "\"\(name)\" is missing.", hint: "Add \(name): \(example).", at: tree.place)
      }
      return nil
    }
    return interval(field, name)
  }

  /// Parses the named entries of a section.
  mutating func section<Thing, Value>(
    _ tree: LayeredNode?, _ what: String, _ address: ((Identifier<Thing>) -> Address)? = nil,
    _ read: (inout Self, LayeredNode) -> Value
  ) -> [Declaration<Thing, Value>] {
    guard let tree, !tree.isNull else { return [] }
    guard case .mapping(let fields) = tree.content else {
      wrongType(tree, "This section", mustBe: "a mapping of names")
      return []
    }
    var entries: [Declaration<Thing, Value>] = []
    entries.reserveCapacity(fields.count)
    for field in fields {
      guard let name: Identifier<Thing> = identifier(field, what) else { continue }
      if let address { notes.subject = address(name) }
      entries.append(Declaration(name: name, place: field.place, value: read(&self, field.value)))
      if address != nil { notes.subject = nil }
    }
    return entries
  }

  mutating func identifier<Thing>(_ field: LayeredNode.Field, _ what: String) -> Identifier<Thing>? {
    if let name = Identifier<Thing>(whole: field.name) { return name }
    let article = what.utf8.first.map { "aeiou".utf8.contains($0) } == true ? "An" : "A"
    let likely = String(field.name.lowercased().map { " ./:".contains($0) ? "-" : $0 })
    notes.report(
      .invalidValue,
      "\(article) \(what)'s name consists of at most 63 characters a-z, 0-9, - and _, and begins with a letter or digit.",
      hint: Identifier<Thing>(whole: likely) != nil && ManifestMessages.isHarmless(likely)
        ? ManifestMessages.didYouMean(likely) : nil,
      at: field.place)
    return nil
  }
}
