package import KeyplanHTTP
package import KeyplanJSON
package import KeyplanModel
package import KeyplanSecrets

extension CheckFacts {
  /// Reads the facts that an answer reveals. Facts that cannot be shown safely are omitted.
  package init(
    _ facts: [Named<SecretAPI.Fact>], in answer: JSONAnswer, of response: HTTPResponse, concealing key: SecretBox,
    _ bindings: Bindings
  ) {
    self.init()
    for fact in facts {
      let found =
        switch fact.value {
        case .body(let extract): extract.texts(in: answer, bindings)
        case .header(let name): [response.header(name)].compactMap(\.self)
        }
      let texts = found.filter { Self.isShown($0, concealing: key) }
      guard let first = texts.first else { continue }
      switch SecretAPI.CheckFact(rawValue: fact.name) {
      case .expires: expires = Self.moment(first)
      case .account: account = first
      case .scopes:
        scopes = texts.count > 1 ? texts : first.split { $0 == " " || $0 == "," }.map(String.init)
      case .remaining: remaining = Double(first).map { $0.isFinite } == true ? first : nil
      case nil: continue
      }
    }
  }

  /// A moment as providers write it.
  package static func moment(_ text: String) -> Moment? {
    if let seconds = Int64(text) { return seconds > 0 ? Moment(seconds: seconds) : nil }
    if let moment = Moment(text) { return moment }
    if let moment = spaced(text) { return moment }
    // Fractions of a second are left out.
    guard let dot = text.firstIndex(of: ".") else { return nil }
    let zone = text[dot...].dropFirst().drop { ("0"..."9").contains($0) }
    return Moment(String(text[..<dot]) + zone)
  }

  /// `2026-12-31 23:59:59 UTC`, as GitHub has it in a header, or with `+0200` in the place of `UTC`.
  private static func spaced(_ text: String) -> Moment? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let zone = parts[2]
    guard zone != "UTC" else { return Moment("\(parts[0])T\(parts[1])Z") }
    guard zone.utf8.count == 5 else { return nil }
    return Moment("\(parts[0])T\(parts[1])\(zone.prefix(3)):\(zone.suffix(2))")
  }

  /// Short, printable, and without a part of the key, which some providers show as a name.
  private static func isShown(_ text: String, concealing key: SecretBox) -> Bool {
    guard (1...100).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return false
    }
    let bytes = Array(text.utf8)
    return key.withBytes { key in
      let length = min(6, key.count)
      guard length > 0, bytes.count >= length else { return true }
      return !(0...(key.count - length)).contains { start in
        bytes.contains(UnsafeRawBufferPointer(rebasing: key[start..<(start + length)]))
      }
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ part: UnsafeRawBufferPointer) -> Bool {
    (0...(count - part.count)).contains { start in self[start..<(start + part.count)].elementsEqual(part) }
  }
}

extension Extract {
  /// The texts and numbers that are found; those of a list are several.
  fileprivate func texts(in answer: JSONAnswer, _ bindings: Bindings) -> [String] {
    guard case .pointer(let pointer) = origin, selection == nil, decode.isEmpty else {
      let value = try? value(in: answer.root, key: nil, of: answer, bindings)
      return [value?.text].compactMap(\.self)
    }
    return answer.values(at: pointer, in: answer.root).flatMap { node -> [String] in
      if case .array(let elements) = node.content { return elements.compactMap { answer.text($0) } }
      return [answer.text(node) ?? answer.number(node)].compactMap(\.self)
    }
  }
}
