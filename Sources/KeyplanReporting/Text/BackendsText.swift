package import KeyplanModel

/// The backends for people: all in a table, or one with its fields.
package enum BackendsText {
  package static func render(_ backends: [BackendDescription], style: Style) -> String {
    var page = Page(style: style)
    let backends = backends.filter { !$0.isPreview } + backends.filter(\.isPreview)
    let places = backends.filter { $0.reference != nil || $0.target != nil }
    page.table([["BACKEND", "READS", "WRITES", "READ BACK", "TAKES EFFECT", "REQUIRES"]] + places.map(row), gap: gap)
    let issuers = backends.compactMap { backend in backend.issuer.map { (name(of: backend), $0) } }
    if !issuers.isEmpty {
      page.end()
      page.table([["KEYS", "MADE BY", "ENDED BY"]] + issuers.map { [$0, $1.maker, $1.end] }, gap: gap)
    }
    if backends.contains(where: \.isPreview) {
      page.end()
      page.prose("* Preview: \(PreviewMessages.meaning).", indent: 0)
      page.end()
    }
    return page.text
  }

  private static let gap = 3

  private static func name(of backend: BackendDescription) -> String { backend.name + (backend.isPreview ? "*" : "") }

  private static func row(_ backend: BackendDescription) -> [String] {
    let fields = (backend.connection?.fields ?? []) + (backend.target?.fields ?? [])
    return [
      name(of: backend), backend.reference == nil ? "no" : "yes", backend.target == nil ? "no" : "yes",
      backend.target?.readsBack.word ?? "", backend.target?.takesEffect.word ?? "",
      fields.filter(\.isRequired).map(\.name).joined(separator: ", "),
    ]
  }

  /// One backend.
  package static func render(_ backend: BackendDescription, sources: [CitedDocument], style: Style) -> String {
    var page = Page(style: style)
    page.put(backend.title, .strong)
    if !backend.help.isEmpty {
      page.put("   ")
      page.prose(backend.help, indent: 2)
    }
    page.end()
    page.end()
    page.labelled(facts(of: backend) + documents(sources, of: backend))
    put(backend.connection?.allFields ?? [], "fields of a connection", on: &page)
    put(backend.target?.fields ?? [], "fields of a target", on: &page)
    put(backend.issuer?.place.fields ?? [], "fields of a key's source", on: &page)
    page.end()
    page.example(BackendExample(of: backend).lines)
    return page.text
  }

  private static func facts(of backend: BackendDescription) -> [(String, String)] {
    var facts: [(String, String)] = []
    if backend.isPreview { facts.append(("preview", PreviewMessages.sentence)) }
    if let reference = backend.reference {
      facts.append(("reads", reference.example))
      if !reference.help.isEmpty { facts.append(("", reference.help)) }
      facts.append(("removes originals", reference.isRemovable ? "yes" : "no"))
    }
    if let target = backend.target {
      facts.append(("writes", "targets of type \(backend.name)"))
      facts.append(("read back", target.readsBack.sentence))
      facts.append(("takes effect", target.takesEffect.word))
      facts.append(("names", target.names.sentence))
      if let limits = target.limits.sentence { facts.append(("limits", limits)) }
      for notice in target.notices { facts.append(("note", notice.sentence)) }
    }
    if let issuer = backend.issuer { facts += issuer.facts }
    if let connection = backend.connection {
      facts.append(("connection", connection.isOptional ? "optional" : "required"))
      let hosts =
        connection.fields.filter { $0.kind == .url }.map { "that of \($0.name)" }
        + connection.fields.filter { $0.kind == .urls }.map { "those of \($0.name)" } + connection.hosts
      if !hosts.isEmpty { facts.append(("contacts", hosts.joined(separator: ", "))) }
    }
    return facts
  }

  private static func documents(_ sources: [CitedDocument], of backend: BackendDescription) -> [(String, String)] {
    guard !sources.isEmpty else { return [] }
    return [("sources", "\(Spans.count(sources.count, "document")), listed in docs/backends/\(backend.name).md")]
  }

  private static func put(_ fields: [BackendField], _ title: String, on page: inout Page) {
    guard !fields.isEmpty else { return }
    page.end()
    page.put(title, .faint)
    page.end()
    let names = fields.map { Glyphs.columns(of: $0.name) }.max() ?? 0
    for field in fields {
      page.move(to: 2)
      page.put(field.name)
      let column = 2 + names + gap
      page.move(to: column)
      page.flow([Run(field.form), .apart(field.presence)], indent: column)
      page.end()
      guard !field.help.isEmpty else { continue }
      page.move(to: column)
      page.prose(field.help, indent: column)
      page.end()
    }
  }
}
