import KeyplanCore
import KeyplanJSON
import KeyplanSecrets

extension CheckFacts {
  /// Reads what an answer reveals. What cannot be shown safely is left out.
  init(_ extracts: [Named<Extract>], in answer: JSONAnswer, concealing key: SecretBox, _ bindings: Bindings) {
    self.init()
    for extract in extracts {
      let texts = extract.value.texts(in: answer, bindings).filter { Self.isShown($0, concealing: key) }
      guard let first = texts.first else { continue }
      switch SecretAPI.CheckFact(rawValue: extract.name) {
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
  static func moment(_ text: String) -> Moment? {
    if let seconds = Int64(text) { return seconds > 0 ? Moment(seconds: seconds) : nil }
    if let moment = Moment(text) { return moment }
    // Fractions of a second are left out.
    guard let dot = text.firstIndex(of: ".") else { return nil }
    let zone = text[dot...].dropFirst().drop { ("0"..."9").contains($0) }
    return Moment(String(text[..<dot]) + zone)
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
