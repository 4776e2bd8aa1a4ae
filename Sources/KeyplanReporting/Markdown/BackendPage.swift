package import KeyplanModel

/// A backend's page of the documentation, in Markdown.
package enum BackendPage {
  package static func render(_ backend: BackendDescription, sources: [CitedDocument]) -> String {
    var lines = ["# \(backend.title)", ""]
    if !backend.help.isEmpty { lines += [backend.help, ""] }
    if backend.isPreview { lines += ["**Preview.** \(PreviewMessages.sentence)", ""] }
    lines += [
      "This page is generated from the backend's description. `keyplan backends \(backend.name)` shows the same.", "",
    ]
    if let connection = backend.connection { lines += section(connection, backend) }
    if let reference = backend.reference { lines += section(reference) }
    if let target = backend.target { lines += section(target, backend) }
    if let issuer = backend.issuer { lines += section(issuer) }
    lines += ["## Example", "", "```yaml"] + BackendExample(of: backend).lines + ["```", ""]
    if !sources.isEmpty { lines += section(sources, backend) }
    return lines.joined(separator: "\n")
  }

  private static func section(_ connection: ConnectionGrammar, _ backend: BackendDescription) -> [String] {
    var lines = ["## Connection", ""]
    lines.append(
      connection.isOptional
        ? "Optional: without one, `\(backend.name)` itself is the scheme and the type, and fields have their defaults."
        : "Required: declare one under `connections:` with `type: \(backend.name)`."
          + (backend.reference == nil ? "" : " Its name is the scheme of references.")
    )
    let hosts =
      connection.fields.filter { $0.kind == .url }.map { "the host of `\($0.name)`" }
      + connection.fields.filter { $0.kind == .urls }.map { "each host of `\($0.name)`" }
      + connection.hosts.map { "`\($0)`" }
    if !hosts.isEmpty {
      lines.append("A plan asks for permission to contact \(hosts.joined(separator: ", ")), with all fields as terms.")
    }
    return lines + [""] + table(connection.allFields)
  }

  private static func section(_ reference: ReferenceGrammar) -> [String] {
    var lines = ["## Source", "", "`\(reference.example)`", ""]
    if !reference.help.isEmpty { lines += [reference.help, ""] }
    lines += [
      reference.isLocal
        ? "The value belongs to the machine: a missing value is no finding for a key that is recorded."
        : "A missing value is reported for a key that is recorded.",
      reference.isRemovable
        ? "An original can be removed after it was adopted (`original: remove`)."
        : "An original cannot be removed by keyplan.",
      "",
    ]
    return lines
  }

  private static func section(_ target: TargetGrammar, _ backend: BackendDescription) -> [String] {
    let effect =
      switch target.takesEffect {
      case .now: "A written value is in use at once."
      case .restart: "A written value is in use after what reads it is restarted."
      case .nextDeploy: "A written value is in use with the next deploy of what reads it."
      }
    var lines = ["## Target", "", "`type: \(backend.name)`. \(target.readsBack.sentence) \(effect)", ""]
    lines.append("- Names: \(target.names.sentence)")
    if let limits = target.limits.sentence { lines.append("- Limits: \(limits)") }
    lines += target.notices.map { "- \($0.sentence)" }
    return lines + [""] + table(target.fields)
  }

  private static func section(_ issuer: IssuerGrammar) -> [String] {
    var lines = ["## Keys", ""]
    if let manual = issuer.manual {
      lines += ["Keys are made by a person: \(manual.steps) The page is <\(manual.page)>."]
    } else {
      lines += ["A key with `source: { mint: CONNECTION }` is made by `keyplan apply`."]
    }
    if issuer.parts.count > 1 {
      let parts = issuer.parts.map { "`\($0)`" }.joined(separator: " and ")
      lines.append("It has several parts, \(parts), which targets name as `KEY.PART`.")
    }
    let replaced =
      issuer.manual == nil
      ? "A key that was replaced" : "A replaced key whose id was given with `keyplan keys set --id`"
    switch (issuer.canDisable, issuer.canRevoke) {
    case (true, true): lines.append("\(replaced) is disabled, and then revoked.")
    case (false, true): lines.append("\(replaced) is revoked.")
    case (_, false): lines.append("A key that was replaced cannot be revoked by keyplan.")
    }
    if issuer.canRenew { lines.append("A key that ends by itself is renewed as long as the provider allows it.") }
    return lines + [""] + table(issuer.place.fields)
  }

  private static func section(_ sources: [CitedDocument], _ backend: BackendDescription) -> [String] {
    let sentence =
      backend.connection == nil
      ? "What keyplan knows about the format or the program comes from these documents."
      : "What keyplan sends to the service, and expects of it, comes from these documents."
    return ["## Sources", "", sentence, ""]
      + ["| document | for |", "|---|---|"] + sources.map { "| \($0.name) | \($0.subjectWords) |" } + [""]
  }

  private static func table(_ fields: [BackendField]) -> [String] {
    guard !fields.isEmpty else { return [] }
    return ["| field | takes | | |", "|---|---|---|---|"]
      + fields.map { "| `\($0.name)` | \($0.form) | \($0.presence) | \($0.help) |" } + [""]
  }
}
