import KeyplanCore

extension ManifestParser {
  mutating func connection(_ tree: LayeredNode) {
    guard let fields = fields(tree, .connection) else { return }
    if let type = required("type", of: fields, in: tree) {
      _ = choice(type, "type", among: reader.backends.connectionTypes)
    }
    if let address = fields["address"] { url(address, "address") }
    referenceField(fields["token"])
    for field in ["namespace", "region", "profile"] { _ = text(fields[field], field) }
  }

  /// An `https://` address, or `http://` for this machine. Credentials in it are rejected.
  @discardableResult
  mutating func url(_ tree: LayeredNode, _ field: String) -> String? {
    guard let text = text(tree, field) else { return nil }
    let isSecure = text.value.hasPrefix("https://")
    let authority = text.value.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".contains($0) }
    guard !authority.contains("@") else {
      notes.conceal(text.place)
      notes.report(.secretInManifest, "The address contains credentials.", at: text.place)
      return nil
    }
    let isLocal = ["127.0.0.1", "localhost", "[::1]"].contains { host in
      authority == host || (authority.hasPrefix(host) && authority.dropFirst(host.count).first == ":")
    }
    if authority.isEmpty || !(isSecure || (isLocal && text.value.hasPrefix("http://"))) {
      notes.report(
        .invalidValue, "\"\(field)\" must be an https:// address; http:// is allowed for this machine only.",
        at: text.place)
      return nil
    }
    return text.value
  }
}
