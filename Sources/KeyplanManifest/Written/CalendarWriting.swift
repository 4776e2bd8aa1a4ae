import KeyplanCore

extension ManifestWriting {
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
}
