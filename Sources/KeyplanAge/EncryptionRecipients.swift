/// The stanzas of a header whose types are supported.
struct EncryptionRecipients {
  /// The number of all stanzas, including those of unknown types.
  private(set) var count = 0
  private var x25519: [(stanza: X25519Stanza, line: Int)] = []
  private var isForPassphrase = false

  /// - Parameter line: The line at which the stanza begins.
  mutating func add(_ stanza: Stanza, line: Int) throws(AgeError) {
    count += 1
    switch stanza.type {
    case X25519Stanza.type:
      guard let readable = X25519Stanza(stanza) else { throw .header(.x25519, line: line) }
      x25519.append((readable, line))
    case Array("scrypt".utf8):
      isForPassphrase = true
    default:
      break  // An unknown type; the format demands that it is skipped.
    }
    // A passphrase also authenticates the file's author, which a second recipient would undermine.
    guard !isForPassphrase || count == 1 else { throw .header(.scryptNotAlone, line: line) }
  }

  /// The file key from the first stanza that matches one of the identities.
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
