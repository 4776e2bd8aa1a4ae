/// Whom a header's stanzas are for, as far as we know their kinds.
struct EncryptionRecipients {
  /// All stanzas, those of unknown kinds too.
  private(set) var count = 0
  private var x25519: [(stanza: X25519Stanza, line: Int)] = []
  private var isForPassphrase = false

  /// - Parameter line: Where the stanza begins.
  mutating func add(_ stanza: Stanza, line: Int) throws(AgeError) {
    count += 1
    switch stanza.type {
    case X25519Stanza.type:
      guard let readable = X25519Stanza(stanza) else { throw .header(.x25519, line: line) }
      x25519.append((readable, line))
    case Array("scrypt".utf8):
      isForPassphrase = true
    default:
      break  // Somebody else's kind: the format wants it skipped.
    }
    // A passphrase also promises that nobody else wrote the file, which a second recipient would break.
    guard !isForPassphrase || count == 1 else { throw .header(.scryptNotAlone, line: line) }
  }

  /// The file key that the first fitting pair of identity and stanza gives.
  func fileKey(for identities: [Identity]) throws(AgeError) -> FileKey {
    if isForPassphrase { throw .needsPassphrase }
    for identity in identities {
      for (stanza, line) in x25519 {
        do throws(HeaderFault) {
          if let key = try stanza.fileKey(for: identity) { return key }
        } catch {
          throw .header(error, line: line)
        }
      }
    }
    throw .noMatch
  }
}
