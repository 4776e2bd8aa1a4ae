import KeyplanHTTP
import KeyplanJSON
import KeyplanModel
import KeyplanYAML

extension DescriptionReader {
  private static let methods: [(name: String, method: HTTPRequest.Method)] = [
    ("get", .get), ("post", .post), ("put", .put), ("patch", .patch), ("delete", .delete),
  ]
  private static let requestFields =
    methods.map(\.name) + [
      "query", "headers", "json", "form", "raw", "outcomes", "source",
    ]

  /// The members of an operation: those of its request, and additional ones.
  package mutating func operation(_ written: Written?, _ own: [String] = []) -> WrittenMembers? {
    guard let written else { return nil }
    return members(written, allowed: Self.requestFields + own)
  }

  /// - Parameter isRead: whether *missing* would be read from its answer.
  package mutating func request(
    _ members: WrittenMembers, _ scope: TemplateScope, isRead: Bool = false, isLogin: Bool = false,
    keyMayBeInQuery: Bool = false, among classes: Set<AnswerClass> = AnswerClass.ofSecrets
  ) -> SecretAPI.Request? {
    state(.request, at: members.object, from: members["source"])
    let methods = Self.methods.filter { members[$0.name] != nil }
    guard let method = methods.first, methods.count == 1 else {
      report(.methods(methods.count), at: members.object)
      return nil
    }
    let path = path(members[method.name], scope)
    var request = SecretAPI.Request(method.method, path ?? Template())
    if isLogin { request.base = base(members["base"], scope) }
    request.query = named(members["query"], for: keyMayBeInQuery ? .keyQuery : .query, scope)
    request.headers = named(members["headers"], for: .header, scope)
    request.body = body(members, scope)
    request.outcomes = rules(members["outcomes"], among: classes, isOfRead: isRead)
    return path == nil ? nil : request
  }

  private mutating func body(_ members: WrittenMembers, _ scope: TemplateScope) -> SecretAPI.Body? {
    let bodies = ["json", "form", "raw"].compactMap { members[$0] }
    if bodies.count > 1 { report(.severalBodies, at: members.object) }
    if let json = members["json"] { return tree(json, scope).map { .json($0) } }
    if let form = members["form"] { return .form(named(form, for: .form, scope)) }
    guard let raw = members["raw"], let template = template(raw, for: .json, scope) else { return nil }
    guard let variable = template.alone else {
      report(.brace, at: raw)
      return nil
    }
    return .raw(variable)
  }

  package mutating func read(_ written: Written?, _ scope: TemplateScope) -> SecretAPI.Read? {
    let own = ["entries", "entry", "pages", "max", "omitsMissing", "failed"]
    guard let members = operation(written, own), let request = request(members, scope, isRead: true) else { return nil }
    let shape: SecretAPI.Read.Shape
    if let entry = members["entry"] {
      guard let entryMembers = self.members(entry, allowed: Self.shapeFields + ["source"]) else { return nil }
      answer(entryMembers)
      shape = .entry(self.shape(entryMembers, scope))
    } else {
      guard let entries = required("entries", of: members) else { return nil }
      shape = .entries(oneOrMore(entries).compactMap { self.entries($0, scope) })
    }
    var read = SecretAPI.Read(request: request, shape: shape)
    read.pages = members["pages"].flatMap { pages($0) }
    read.most = number(members["max"])
    read.omitsMissing = flag(members["omitsMissing"]) ?? false
    read.failed = members["failed"].flatMap { failures($0, scope) }
    return read
  }

  private static let shapeFields = [
    "name", "value", "id", "mark", "version", "writeOnlyIf", "writableIf", "vacantIf", "vacantUnless",
  ]

  private mutating func entries(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Entries? {
    let own = ["each", "expect", "where", "absentIsEmpty", "common", "inherited", "mayLackName", "source"]
    guard let members = members(written, allowed: Self.shapeFields + own),
      let each = pointer(required("each", of: members)), required("name", of: members) != nil
    else { return nil }
    answer(members)
    var entries = SecretAPI.Entries(each: each, shape: shape(members, scope))
    entries.expect = match(members["expect"], scope)
    entries.match = match(members["where"], scope)
    entries.absentIsEmpty = flag(members["absentIsEmpty"]) ?? false
    entries.isInherited = flag(members["inherited"]) ?? false
    entries.mayLackName = flag(members["mayLackName"]) ?? false
    if let common = members["common"], let commonMembers = self.members(common, allowed: ["version"]) {
      entries.commonVersion = pointer(required("version", of: commonMembers))
    }
    return entries
  }

  private mutating func shape(_ members: WrittenMembers, _ scope: TemplateScope) -> SecretAPI.EntryShape {
    var shape = SecretAPI.EntryShape()
    shape.name = extract(members["name"], scope)
    shape.value = extract(members["value"], scope)
    shape.id = extract(members["id"], scope)
    shape.mark = extract(members["mark"], scope)
    shape.version = extract(members["version"], scope)
    shape.writeOnlyIf = members["writeOnlyIf"].map { match($0, scope) }
    shape.vacantIf = members["vacantIf"].map { match($0, scope) }
    shape.vacantUnless = members["vacantUnless"].map { match($0, scope) }
    shape.writableIf = exactMatch(members["writableIf"], scope)
    return shape
  }

  package mutating func pages(_ written: Written) -> SecretAPI.Pages? {
    let ways = ["link", "header", "at", "url", "last", "number", "count"]
    guard let members = members(written, allowed: ways + ["query", "first", "more", "max"]) else { return nil }
    func query(_ reader: inout Self) -> String? { reader.text(reader.required("query", of: members)) }
    var next: SecretAPI.Pages.Next?
    if let link = members["link"] {
      next = text(link).map { .link(relation: $0) }
    } else if let url = members["url"] {
      next = pointer(url).map { .url($0) }
    } else if let header = members["header"] {
      if let header = text(header), let query = query(&self) { next = .header(header.lowercased(), query: query) }
    } else if let at = members["at"] {
      if let at = pointer(at), let query = query(&self) { next = .pointer(at, query: query) }
    } else if let last = members["last"] {
      if let last = pointer(last), let query = query(&self) { next = .last(last, query: query) }
    } else if let number = members["number"] {
      if let number = pointer(number), let query = query(&self) { next = .number(number, query: query) }
    } else if let count = members["count"] {
      let first = number(members["first"]) ?? 1
      if let count = choice(count, of: Counted.self), let query = query(&self) {
        next = count == .pages ? .page(first: first, query: query) : .offset(query: query)
      }
    } else {
      report(.missingField(ways[0]), at: written)
    }
    let more = pointer(members["more"])
    return next.map { SecretAPI.Pages(next: $0, more: more, most: min(number(members["max"]) ?? 100, 100)) }
  }

  /// The unit of the parameter for the next page.
  private enum Counted: String, CaseIterable { case pages, entries }

  package mutating func failures(_ written: Written, _ scope: TemplateScope) -> SecretAPI.Failures? {
    guard let members = members(written, allowed: ["each", "name", "code", "codes", "then"]),
      let each = pointer(required("each", of: members))
    else { return nil }
    var failures = SecretAPI.Failures(each: each)
    failures.name = extract(members["name"], scope)
    failures.code = extract(members["code"], scope)
    if let codes = members["codes"], let codeMembers = self.members(codes) {
      failures.codes = codeMembers.all.compactMap { code, value in
        choice(value, of: AnswerClass.self).map { Named(code, $0) }
      }
    }
    failures.then = choice(members["then"], of: AnswerClass.self)
    return failures
  }

  package mutating func write(_ written: Written?, _ scope: TemplateScope) -> SecretAPI.Write? {
    guard let members = operation(written, ["mark", "before", "yields"]), let request = request(members, scope) else {
      return nil
    }
    if request.variables.isDisjoint(with: ["name", "id"]) { report(.nameNotSent, at: members.object) }
    var write = SecretAPI.Write(request: request)
    write.mark = extract(members["mark"], scope)
    write.yields = extracts(members["yields"], scope)
    if let before = members["before"] {
      write.before = items(before).compactMap { item in operation(item).flatMap { self.request($0, scope) } }
    }
    return write
  }

  package mutating func writeMany(_ written: Written?, _ scope: TemplateScope) -> SecretAPI.WriteMany? {
    guard let members = operation(written, ["max", "failed", "whenEmpty", "yields"]),
      let request = request(members, scope)
    else { return nil }
    var write = SecretAPI.WriteMany(request: request)
    write.most = max(1, min(number(members["max"]) ?? 100, 1000))
    write.failed = members["failed"].flatMap { failures($0, scope) }
    write.yields = extracts(members["yields"], scope)
    write.whenEmpty = operation(members["whenEmpty"]).flatMap { self.request($0, scope) }
    if write.tree?.sets.isDisjoint(with: [.writes, .all]) ?? true { report(.nameNotSent, at: members.object) }
    return write
  }
}
