package import KeyplanCore

extension IssuerGrammar {
  /// What can be done with keys, as names and sentences.
  package var facts: [(name: String, words: String)] {
    var facts: [(String, String)] = []
    if let manual {
      facts.append(("makes keys", "no: a person does it at \(manual.page)"))
    } else {
      facts.append(("makes keys", "source: { mint: CONNECTION\(place.fields.isEmpty ? "" : ", …") }"))
    }
    if parts.count > 1 { facts.append(("parts of a key", parts.joined(separator: ", "))) }
    let ends = [canDisable ? "disabled" : nil, canRevoke ? "revoked" : nil].compactMap(\.self)
    facts.append(("ends keys", ends.isEmpty ? "no" : "a replaced key is \(ends.joined(separator: ", then "))"))
    return facts
  }
}
