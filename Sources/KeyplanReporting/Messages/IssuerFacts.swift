package import KeyplanModel

extension IssuerGrammar {
  /// The possible actions on keys, as names and sentences.
  package var facts: [(name: String, words: String)] {
    var facts: [(String, String)] = []
    if let manual {
      facts.append(("makes keys", "no: a person does it at \(manual.page)"))
    } else {
      facts.append(("makes keys", "source: { mint: CONNECTION\(place.fields.isEmpty ? "" : ", …") }"))
    }
    if parts.count > 1 { facts.append(("parts of a key", parts.joined(separator: ", "))) }
    facts.append(("ends keys", canRevoke || canDisable ? "by \(end)" : "no"))
    if canRenew { facts.append(("renews keys", "as long as the provider allows it")) }
    return facts
  }

  /// The maker of a key.
  var maker: String { manual == nil ? "keyplan" : "a person" }

  /// The way in which a replaced key is ended.
  var end: String {
    switch (canDisable, canRevoke) {
    case (true, true): "disabling, then revoking"
    case (true, false): "disabling"
    case (false, true): "revoking"
    case (false, false): "a person"
    }
  }
}
