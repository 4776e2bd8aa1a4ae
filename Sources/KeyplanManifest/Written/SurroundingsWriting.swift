import KeyplanCore
import KeyplanYAML

extension ManifestWriting {
  /// `age1…`, `{ key: age1…, can: plan }` or `passphrase`.
  mutating func recipient(_ tree: Tree) -> RawRecipient {
    var written: Tree? = tree
    var role = Recipient.Role.full
    if case .mapping = tree.content {
      guard let fields = fields(tree, .recipient) else { return .unreadable }
      written = required("key", of: fields, in: tree)
      role = choice(fields["can"], "can", of: Recipient.Role.allCases) ?? .full
    }
    guard let written, let text = text(written, "key") else { return .unreadable }
    if text.value == "passphrase" { return .passphrase }
    guard AgeRecipient.isValid(text.value) else {
      if !text.value.hasPrefix("age1") { notes.conceal(text.place) }
      notes.note(
        .invalidValue, "This is no age recipient: age1 and 58 characters, of which the last six check the others.",
        hint: "keyplan identity show prints yours.", at: text.place)
      return .unreadable
    }
    return .key(text.value, can: role)
  }

  mutating func connection(_ tree: Tree) {
    guard let fields = fields(tree, .connection) else { return }
    if let type = required("type", of: fields, in: tree) {
      _ = choice(type, "type", among: Shape.laterSchemes.keys.sorted())
    }
    if let address = fields["address"] { url(address, "address") }
    referenceField(fields["token"])
    for field in ["namespace", "region", "profile"] { _ = text(fields[field], field) }
  }

  mutating func provider(_ tree: Tree) -> RawProvider {
    var provider = RawProvider()
    guard !tree.isNull, let fields = fields(tree, .provider) else { return provider }
    provider.format = format(fields["format"])
    provider.variable = variable(fields["variable"], "variable")
    check(fields["check"])
    return provider
  }

  private mutating func format(_ tree: Tree?) -> FormatPattern? {
    guard let text = text(tree, "format") else { return nil }
    do {
      return try FormatPattern(text.value)
    } catch {
      notes.note(
        .invalidValue, error.words,
        hint: "A format has literals, classes such as [A-Za-z0-9], {m,n} and one level of (?:a|b).",
        at: place(of: error.offset, in: text, tree))
      return nil
    }
  }

  /// The place within a scalar that is written as it reads; else the scalar's own.
  private func place(of offset: Int, in text: Written<String>, _ tree: Tree?) -> Place {
    guard case .scalar(let scalar) = tree?.content, offset <= text.value.utf8.count else { return text.place }
    let points = text.value.unicodeScalars.count
    let isQuoted = scalar.style == .doubleQuoted || scalar.style == .singleQuoted
    guard text.place.width == points + (isQuoted ? 2 : 0) else { return text.place }
    let before = text.value.utf8.prefix(offset).count { $0 & 0xC0 != 0x80 }
    return Place(
      file: text.place.file, line: text.place.line,
      column: text.place.column + min(before, max(0, points - 1)) + (isQuoted ? 1 : 0))
  }

  private mutating func check(_ tree: Tree?) {
    guard let tree, let fields = fields(tree, .check) else { return }
    if let address = required("url", of: fields, in: tree) { url(address, "url") }
    if let header = text(fields["header"], "header"), header.value.range(ofFirst: "{key}") == nil {
      notes.conceal(header.place)
      notes.note(.invalidValue, "\"header\" has {key} where the key goes.", at: header.place)
    }
    for name in ["valid", "invalid"] { statuses(fields[name], name) }
  }

  private mutating func statuses(_ tree: Tree?, _ field: String) {
    guard let tree else { return }
    guard case .list(let items) = tree.content else {
      return wrongType(tree, "\"\(field)\"", takes: "a list of numbers")
    }
    for item in items {
      if case .scalar(let scalar) = item.content, case .int(let status) = scalar.resolved, (100...599).contains(status)
      {
        continue
      }
      notes.note(.invalidValue, "\"\(field)\" lists HTTP statuses: numbers from 100 to 599.", at: item.place)
    }
  }

  /// An `https://` address, or `http://` for tests on this machine. Credentials have no place in it.
  mutating func url(_ tree: Tree, _ field: String) {
    guard let text = text(tree, field) else { return }
    let isSecure = text.value.hasPrefix("https://")
    let authority = text.value.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      notes.conceal(text.place)
      return notes.note(.secretInManifest, "The address holds credentials.", at: text.place)
    }
    let isLocal = ["127.0.0.1", "localhost", "[::1]"].contains { host in
      authority == host || (authority.hasPrefix(host) && authority.dropFirst(host.count).first == ":")
    }
    if authority.isEmpty || !(isSecure || (isLocal && text.value.hasPrefix("http://"))) {
      notes.note(
        .invalidValue, "\"\(field)\" is an https:// address; http:// is for this machine only.", at: text.place)
    }
  }

  mutating func calendar(_ tree: Tree) {
    guard let fields = fields(tree, .calendar) else { return }
    let service = required("service", of: fields, in: tree)
      .flatMap { choice($0, "service", among: ["google", "outlook", "caldav"]) }
    if let account = required("account", of: fields, in: tree) { _ = text(account, "account") }
    _ = text(fields["calendar"], "calendar")
    _ = choice(fields["signIn"], "signIn", among: ["browser", "device", "serviceAccount"])
    if let address = fields["url"] { url(address, "url") }
    referenceField(fields["password"])
    if let client = fields["client"], let fields = self.fields(client, .client) {
      if let id = required("id", of: fields, in: client) { _ = text(id, "id") }
      referenceField(fields["secret"])
      _ = text(fields["tenant"], "tenant")
      _ = choice(fields["publishing"], "publishing", among: ["testing", "production"])
    }
    switch service?.value {
    case "caldav": for name in ["url", "password"] { _ = required(name, of: fields, in: tree) }
    case .some: _ = required("client", of: fields, in: tree)
    case nil: break
    }
  }

  mutating func migrations(_ tree: Tree?) -> [RawMigration] {
    guard let tree, !tree.isNull else { return [] }
    guard case .list(let items) = tree.content else {
      wrongType(tree, "\"migrations\"", takes: "a list")
      return []
    }
    return items.enumerated().map { index, item in
      notes.subject = .migration(index + 1)
      defer { notes.subject = nil }
      return migration(item, index + 1)
    }
  }

  private mutating func migration(_ tree: Tree, _ number: Int) -> RawMigration {
    guard let fields = fields(tree, .migration) else {
      return RawMigration(number: number, place: tree.place, origin: nil, to: nil)
    }
    let to = required("to", of: fields, in: tree).flatMap { text($0, "to") }
    _ = choice(fields["original"], "original", among: ["keep", "remove"])
    var origin: RawMigration.Origin?
    switch (fields["moved"], fields["adopt"]) {
    case (let moved?, nil): origin = text(moved, "moved").map { .moved($0) }
    case (nil, let adopt?):
      referenceField(adopt)
      origin = .adopted(adopt.place)
    case (nil, nil):
      notes.note(
        .missingField, "What is migrated is missing.", hint: "Add moved: KEY, or adopt: REFERENCE.", at: tree.place)
    case (.some, let adopt?):
      notes.note(.conflict, "\"moved\" and \"adopt\" exclude each other.", at: adopt.place)
    }
    if case .moved = origin, let original = fields.place(of: "original") {
      notes.note(.conflict, "\"original\" goes with \"adopt\"; a moved key has no original elsewhere.", at: original)
    }
    return RawMigration(number: number, place: tree.place, origin: origin, to: to)
  }
}
