import KeyplanModel
package import KeyplanYAML

/// All that is wrong with a description, in the order in which it was found.
package struct DescriptionFaults: Error, Hashable, Sendable {
  package let all: [DescriptionFault]

  package init(all: [DescriptionFault]) { self.all = all }
}

extension SecretAPI {
  /// Reads a description, which is one YAML or JSON document.
  /// - Throws: everything that is wrong with it. A description that is returned needs no further checks.
  package static func read(_ bytes: [UInt8], name: String) throws(DescriptionFaults) -> SecretAPI {
    let root: Node?
    do throws(YAMLError) {
      root = try Node.parse(bytes)
    } catch {
      let fault = DescriptionFault(
        kind: .malformed(error.detail), path: "", line: error.mark.line, column: error.mark.column)
      throw DescriptionFaults(all: [fault])
    }
    guard let root else {
      throw DescriptionFaults(all: [DescriptionFault(kind: .wrongType(.object), path: "", line: 1, column: 1)])
    }
    return try read(root, name: name)
  }

  /// Reads a description inside a larger document.
  package static func read(_ node: Node, name: String) throws(DescriptionFaults) -> SecretAPI {
    var reader = DescriptionReader()
    let api = reader.api(Written(node: node, path: ""), name: name)
    guard let api, reader.faults.isEmpty else { throw DescriptionFaults(all: reader.faults) }
    return api
  }
}

extension DescriptionReader {
  package static let fields = [
    "summary", "sources", "preview", "connection", "target", "base", "headers", "auth", "places", "lookups", "identify",
    "account",
    "names",
    "limits",
    "pace", "takesEffect", "effectSource", "rights", "notices", "list", "readMany", "read", "put", "create", "update",
    "delete",
    "putMany",
    "absentVersion", "outcomes", "check", "rotate",
  ]

  package mutating func api(_ written: Written, name: String) -> SecretAPI? {
    guard let members = members(written, allowed: Self.fields) else { return nil }
    var api = SecretAPI(name: name)
    api.summary = text(required("summary", of: members)) ?? ""
    api.sources = documents(members["sources"])
    api.isPreview = flag(members["preview"]) ?? false
    api.connection = fields(members["connection"])
    api.target = fields(members["target"])
    for field in api.target where field.kind.isSecret {
      if let target = members["target"] { report(.secretNotAllowed(field.name), at: target) }
    }
    variables.fields = Dictionary((api.connection + api.target).map { ($0.name, $0.kind) }) { first, _ in first }
    let fields = TemplateScope(names: Set(variables.fields.keys))
    api.base = base(required("base", of: members), fields) ?? Template()
    for index in api.connection.indices where api.base.variables.contains(api.connection[index].name) {
      api.connection[index].isRequired = true
    }
    for index in api.target.indices where api.base.variables.contains(api.target[index].name) {
      api.target[index].isRequired = true
    }
    api.places = places(members["places"], fields)
    let ofPlaces = Set(api.places.flatMap(\.values).map(\.name))
    variables.found.formUnion(ofPlaces)
    var scope = api.places.isEmpty ? fields : fields.with(ofPlaces.union(["place"]))
    auth(members["auth"], TemplateScope(names: Set(api.connection.map(\.name))), into: &api)
    api.account = members["account"].flatMap { account($0, api) }
    scope = scope.with(variables.credentials)
    let found = api.auth.reduce(into: Set<String>()) { $0.formUnion($1.chain?.variables ?? []) }
    api.headers = named(members["headers"], for: .header, fields.with(found))
    scope = lookups(members["lookups"], scope, into: &api)
    api.identify = members["identify"].flatMap { identify($0, scope) }
    settings(members, into: &api)
    operations(members, scope, into: &api)
    api.outcomes = rules(members["outcomes"], isOfRead: true)
    provider(members, scope, into: &api)
    check(api, at: written)
    checkSources(members["sources"])
    api.statements = statements
    return api
  }

  private mutating func operations(_ members: WrittenMembers, _ scope: TemplateScope, into api: inout SecretAPI) {
    let seen = scope.with(yields(of: members))
    api.list = read(members["list"], seen)
    api.readMany = read(members["readMany"], seen.with(["names"]))
    let one = scope.with(["name", "id", "version"])
    api.read = read(members["read"], one.with(seen.names))
    if let read = api.read, read.request.variables.isDisjoint(with: ["name", "id"]), let written = members["read"] {
      report(.nameNotSent, at: written)
    }
    let removing = one.with(["before"])
    let writing = removing.with(["value"])
    api.put = write(members["put"], writing)
    api.create = write(members["create"], writing)
    api.update = write(members["update"], writing)
    api.delete = write(members["delete"], removing)
    api.putMany = writeMany(members["putMany"], scope.with(["version"]))
    api.absentVersion = members["absentVersion"].map { literal($0) }
  }

  /// The names of the values that writes yield, which reads can send.
  private mutating func yields(of members: WrittenMembers) -> Set<String> {
    var names: Set<String> = []
    for write in ["put", "create", "update", "delete", "putMany"] {
      guard let operation = members[write], operation.has("yields"), let own = self.members(operation),
        let yields = own["yields"], let all = self.members(yields)?.all
      else { continue }
      for (name, value) in all {
        if Self.isVariable(name), variables.fields[name] == nil {
          names.insert(name)
        } else {
          report(.invalidText(name), at: value)
        }
      }
    }
    variables.found.formUnion(names)
    return names
  }

  private mutating func fields(_ written: Written?) -> [SecretAPI.Field] {
    guard let written, let members = members(written) else { return [] }
    let allowed = [
      "type", "default", "pattern", "required", "scheme", "ending", "environment", "help", "example",
    ]
    return members.all.compactMap { name, value in
      if !Self.isVariable(name) { report(.invalidText(name), at: value) }
      guard let fieldMembers = self.members(value, allowed: allowed),
        let kind = choice(required("type", of: fieldMembers), of: SecretAPI.Field.Kind.self)
      else { return nil }
      var field = SecretAPI.Field(name, kind)
      field.initial = scalarText(fieldMembers["default"])
      if field.initial != nil, kind.isSecret { report(.secretNotAllowed(name), at: value) }
      field.pattern = pattern(fieldMembers["pattern"])
      field.isRequired = flag(fieldMembers["required"]) ?? false
      field.scheme = choice(fieldMembers["scheme"], of: Scheme.self)?.rawValue
      field.ending = text(fieldMembers["ending"])
      for name in ["scheme", "ending"] where kind != .url {
        if let written = fieldMembers[name] { report(.unknownField(name), at: written) }
      }
      field.environment = texts(fieldMembers["environment"])
      field.help = text(fieldMembers["help"])
      field.example = scalarText(fieldMembers["example"])
      return field
    }
  }

  /// Names of fields can be used as variables, and none hides a value of an operation.
  package static func isVariable(_ name: String) -> Bool {
    guard let template = try? Template("{\(name)}"), template.alone?.transform == nil else { return false }
    let taken = ["name", "value", "id", "version", "before", "names", "place", "label", "key", "present", "now"]
    return template.alone != nil && !taken.contains(name)
  }

  private mutating func places(_ written: Written?, _ scope: TemplateScope) -> [SecretAPI.PlacePath] {
    guard let written else { return [] }
    return items(written).compactMap { item in
      guard let members = members(item, allowed: ["when", "path", "values"]),
        let path = path(required("path", of: members), scope)
      else { return nil }
      let values = named(members["values"], for: .condition, scope)
      for value in values where !Self.isVariable(value.name) || variables.fields[value.name] != nil {
        if let written = members["values"] { report(.invalidText(value.name), at: written) }
      }
      return SecretAPI.PlacePath(fields: knownFields(members["when"]), path: path, values: values)
    }
  }

  private mutating func settings(_ members: WrittenMembers, into api: inout SecretAPI) {
    api.names = members["names"].flatMap { names($0) }
    if let limits = members["limits"], let own = self.members(limits, allowed: ["value", "least", "bytes", "source"]) {
      state(.limits, at: limits, from: own["source"])
      api.limits.value = number(own["value"]) ?? api.limits.value
      api.limits.least = number(own["least"]) ?? 0
      api.limits.bytes = flag(own["bytes"]) ?? false
    }
    let ofPace = ["concurrency", "after", "gap", "patience", "source"]
    if let pace = members["pace"], let own = self.members(pace, allowed: ofPace) {
      state(.pace, at: pace, from: own["source"])
      api.pace.concurrency = max(1, min(number(own["concurrency"]) ?? 1, 16))
      api.pace.after = number(own["after"]) ?? 0
      api.pace.gap = min(number(own["gap"]) ?? 0, 60)
      api.pace.patience = number(own["patience"]) ?? api.pace.patience
    }
    api.takesEffect = choice(members["takesEffect"], of: TakesEffect.self) ?? .now
    if let effect = members["takesEffect"] {
      state(.effect, at: effect, from: members["effectSource"])
    } else if members["effectSource"] != nil {
      _ = required("takesEffect", of: members)
    }
    if let rights = members["rights"], let own = self.members(rights, allowed: ["read", "write", "source"]) {
      state(.rights, at: rights, from: own["source"])
      api.rights = SecretAPI.Rights(read: text(own["read"]), write: text(own["write"]))
    }
    api.notices = members["notices"].map { items($0) }?.compactMap { notice($0, api) } ?? []
  }

  private mutating func notice(_ written: Written, _ api: SecretAPI) -> TargetNotice? {
    guard let own = members(written, allowed: ["step", "when", "say", "source"]),
      let step = choice(required("step", of: own), of: TargetNotice.Occasion.self),
      let words = text(required("say", of: own))
    else { return nil }
    state(.notice, at: written, from: own["source"])
    var fields: [String: String] = [:]
    for (name, value) in own["when"].flatMap({ members($0) })?.all ?? [] {
      guard let field = api.connection.first(where: { $0.name == name }), !field.kind.isSecret else {
        report(.unknownVariable(name), at: value)
        continue
      }
      fields[name] = scalarText(value)
    }
    return TargetNotice(step, fields: fields, words: words)
  }

  private static let nameFields = ["pattern", "longest", "case", "reserved", "taken", "ignore", "source"]

  private mutating func names(_ written: Written) -> SecretAPI.Names? {
    guard let members = members(written, allowed: Self.nameFields) else { return nil }
    state(.names, at: written, from: members["source"])
    let pattern = pattern(members["pattern"])
    let foldsCase = choice(members["case"], of: LetterCase.self) == .upper
    let rule = NameRule(
      pattern.map { .pattern($0) } ?? .text, reserved: texts(members["reserved"]), taken: texts(members["taken"]),
      longest: number(members["longest"]), foldsCase: foldsCase)
    return SecretAPI.Names(rule: rule, ignore: Set(texts(members["ignore"])))
  }

  private mutating func provider(_ members: WrittenMembers, _ scope: TemplateScope, into api: inout SecretAPI) {
    api.check = members["check"].flatMap { keyCheck($0, scope) }
    api.rotate = members["rotate"].flatMap { rotate($0, scope) }
  }

  private enum LetterCase: String, CaseIterable { case exact, upper }
  private enum Scheme: String, CaseIterable { case http, https }
}
