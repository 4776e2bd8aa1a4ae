import KeyplanModel

extension ManifestParser {
  /// Reports text that is not a valid reference, with the correct form if it is similar to one. The text may be a
  /// value, so it is repeated only if it looks like a variable's name, or is a reference in another tool's notation.
  mutating func nearMiss(_ text: Located<String>) -> RawSource {
    if text.value.hasPrefix("key."), Identifier<Key>(text.value.dropFirst("key.".count)) != nil {
      notes.conceal(text.place)
      return refuse(
        "This is the address of a key. A source is a place outside keyplan, such as a variable or a file.",
        hint: "Write env://NAME or dotenv://.env#NAME here. To use a key under another name, write that name under the "
          + "`keys` of a target: `NAME: KEY`.", at: text.place)
    }
    let (form, isReference) = rightForm(of: text.value)
    if !isReference { notes.conceal(text.place) }
    if let form {
      return refuse("This is not a valid reference.", hint: "Write \(form).", at: text.place)
    }
    if let mark = text.value.range(ofFirst: "://"), case let scheme = text.value[..<mark.lowerBound],
      !scheme.isEmpty, Identifier<Connection>(scheme) != nil, ManifestMessages.isHarmless(scheme)
    {
      return refuse(
        "\"\(scheme)\" is neither a connection of this manifest nor a kind of source.",
        hint: "Declare it under `connections`. The kinds of sources: keyplan backends", at: text.place)
    }
    return refuse(
      "Expected a reference to a secret, such as env://NAME.",
      hint:
        "A reference has a scheme, for example env://NAME or dotenv://.env#NAME. Never write the value itself here.",
      at: text.place)
  }

  private mutating func rightForm(of text: String) -> (form: String?, isReference: Bool) {
    if text.hasPrefix("ref+") {
      let rest = String(text.dropFirst(4))
      guard let scheme = rest.range(ofFirst: "://").map({ String(rest[..<$0.lowerBound]) }) else {
        return ("a reference without ref+, such as vault://secret/path#key", false)
      }
      // For some schemes vals uses another notation, so only harmless text is repeated.
      let known = reader.backends.source(scheme) != nil
      guard known, ManifestMessages.isHarmless(rest) else {
        return ("it without ref+, such as vault://secret/path#key", false)
      }
      return (rest, true)
    }
    if text.hasPrefix("$") {
      var name = text.dropFirst()
      if name.hasPrefix("{") { name = name.dropFirst().prefix { $0 != "}" && $0 != ":" } }
      return (environment(name), Self.readsLikeVariable(name))
    }
    if let mark = text.range(ofFirst: "://") {
      let scheme = String(text[..<mark.lowerBound])
      let near = notes.nearest(
        to: scheme,
        among: notes.suggests ? reader.backends.sources + connections.keys.sorted() : [])
      return (near.map { "\($0)://…, if you mean \($0)" }, false)
    }
    if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
      let scheme = String(text[..<colon])
      let rest = text[text.index(after: colon)...].drop { $0 == "/" }
      if scheme == "env" { return (environment(rest), Self.readsLikeVariable(rest)) }
      guard reader.backends.source(scheme) != nil || connections[scheme] != nil else {
        return (nil, false)
      }
      guard ManifestMessages.isHarmless(rest) else { return ("\(scheme)://…, with two slashes", false) }
      return ("\(scheme)://\(rest)", true)
    }
    guard Self.readsLikeVariable(text) else { return (nil, false) }
    return (environment(text), true)
  }

  private func environment(_ name: some StringProtocol) -> String {
    Self.readsLikeVariable(name) ? "env://\(name)" : "env://NAME, with the name of the variable"
  }

  /// Several upper-case words, such as OPENAI_API_KEY. No vendor's key looks like that, and few passwords do.
  private static func readsLikeVariable(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    guard VariableName.isValid(text), bytes.contains(UInt8(ascii: "_")), !bytes.contains(where: { $0.isLower }) else {
      return false
    }
    return ManifestMessages.isHarmless(text)
  }
}
