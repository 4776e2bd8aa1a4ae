import KeyplanSecrets

@testable import KeyplanAge

extension FuzzEntry {
  static let ageFiles = [
    FuzzEntry(name: "age", check: decrypt), FuzzEntry(name: "armor", longest: 1024, check: armor),
    FuzzEntry(name: "bech32", longest: 256, check: bech32),
    FuzzEntry(name: "recipient", longest: 2048, check: recipient),
    FuzzEntry(name: "identity-file", longest: 3072, check: identities),
  ]

  /// A made-up identity, to which the files in the corpus are encrypted.
  private static let identity: [Identity] = {
    let text = Bech32.text(of: (0..<32).map { UInt8($0 * 7 + 1) }, prefix: "age-secret-key-", case: .upper)
    return (try? Identity(parsing: Secret(text))).map { [$0] } ?? []
  }()

  private static func decrypt(_ input: [UInt8]) throws(Violation) {
    try require(!identity.isEmpty, "no identity")
    do throws(AgeError) {
      let hasPassphrase = try Age.hasPassphrase(input)
      // With a passphrase it would cost seconds, as meant.
      guard !hasPassphrase else { return }
      _ = try Age.decrypt(input, with: identity)
    } catch {
      try inside(error, input)
    }
  }

  private static func inside(_ error: AgeError, _ input: [UInt8]) throws(Violation) {
    switch error {
    case .header(_, let line), .armor(_, let line), .invalidIdentity(_, let line):
      // The lines of an armored header are not those of the file, but never more than its bytes.
      try require((1...input.count + 1).contains(line), "line \(line)")
    case .cryptography: throw Violation("an error that cannot happen")
    default: break
    }
    try require(!"\(error)".isEmpty, "no words")
  }

  /// Armor has one form: read and written again, only white space around it and line ends differ.
  private static func armor(_ input: [UInt8]) throws(Violation) {
    func letters(_ text: [UInt8]) -> [UInt8] { text.filter { $0 > 0x20 } }
    var isSame = true
    do throws(AgeError) {
      let file = try Armor.read(input)
      isSame = letters(Armor.text(of: file)) == letters(input)
    } catch {
      if case .armor(_, let line) = error { try require(line: line, inside: input) }
    }
    try require(isSame, "armor with two forms")
    guard let again = try? Armor.read(Armor.text(of: input)) else { throw Violation("written armor cannot be read") }
    try require(again == input, "armor does not return what was put in")
  }

  private static func bech32(_ input: [UInt8]) throws(Violation) {
    let written = Bech32.text(of: input, prefix: "age-secret-key-", case: .upper)
    guard let read = try? Bech32.read(written, prefix: "age-secret-key-") else {
      throw Violation("written Bech32 cannot be read")
    }
    try require(read.withBytes { Array($0) } == input, "Bech32 does not return what was put in")
    for prefix in ["age", "age1pq", "age-secret-key-"] {
      guard let bytes = try? Bech32.read(input, prefix: prefix) else { continue }
      let text = Bech32.text(of: bytes.withBytes { Array($0) }, prefix: prefix, case: .lower)
      try require(text == input.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, "Bech32 with two forms")
    }
  }

  /// A recipient's own text is the same recipient.
  private static func recipient(_ input: [UInt8]) throws(Violation) {
    let text = String(decoding: input, as: UTF8.self)
    guard let recipient = try? AgeRecipient(parsing: text) else { return }
    try require((recipient.labels?.count ?? 0) <= 1, "labels")
    guard let again = try? AgeRecipient(parsing: recipient.description) else {
      throw Violation("its own text is refused")
    }
    try require(again == recipient, "its own text is another recipient")
  }

  private static func identities(_ input: [UInt8]) throws(Violation) {
    let found: [Identity]
    do throws(AgeError) {
      found = try Identity.parseFile(Secret(input))
    } catch {
      return try inside(error, input)
    }
    try require(!found.isEmpty, "no identity and no error")
    for identity in found.prefix(2) {
      guard let recipient = try? AgeRecipient(parsing: identity.recipient.description) else {
        throw Violation("the recipient of an identity is refused")
      }
      try require(recipient == identity.recipient, "an identity with another recipient")
    }
  }
}
