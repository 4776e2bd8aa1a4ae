package import KeyplanSecrets

/// Encrypts and decrypts whole age v1 files in memory (c2sp.org/age), for X25519 recipients.
package enum Age {
  /// Encrypts to all recipients; the identity of any of them can decrypt the file.
  ///
  /// - Returns: The binary file, or with `armored` its text form in lines of 64 columns, with a final line feed.
  package static func encrypt(
    _ plaintext: borrowing Secret, to recipients: [Recipient], armored: Bool = false
  ) throws(AgeError) -> [UInt8] {
    guard !recipients.isEmpty else { throw .noRecipients }
    guard recipients.count <= Header.maximumStanzas else { throw .tooManyRecipients }
    let fileKey = FileKey.generate()
    var stanzas: [Stanza] = []
    stanzas.reserveCapacity(recipients.count)
    for recipient in recipients { stanzas.append(try X25519Stanza(wrapping: fileKey, for: recipient).stanza) }
    var file = Header.text(of: stanzas, under: fileKey)
    try Payload.append(plaintext, under: fileKey, to: &file)
    return armored ? Armor.text(of: file) : file
  }

  /// Decrypts a file, armored or binary, with the first identity that matches one of its stanzas.
  ///
  /// Returns only content that was authenticated completely. Time and memory are linear in the file's size.
  package static func decrypt(_ file: [UInt8], with identities: [Identity]) throws(AgeError) -> Secret {
    let header = try Header(reading: Armor.isPresent(in: file) ? Armor.read(file) : file)
    let fileKey = try header.fileKey(for: identities)
    guard header.isAuthentic(under: fileKey) else { throw .headerMAC }
    return try Payload.open(header.payload, under: fileKey)
  }
}
