package import KeyplanSecrets

/// Whole age v1 files in memory, as c2sp.org/age defines them, for X25519 recipients.
package enum Age {
  /// Encrypts to every recipient; any one of their identities opens the file.
  ///
  /// - Returns: The file: binary, or with `armored` as text of 64 columns that ends in a line feed.
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

  /// Opens a file, armored or binary, with the first identity that one of its stanzas is addressed to.
  ///
  /// Nothing is returned unless every byte of the file was authenticated. Time and memory are linear in the file's size.
  package static func decrypt(_ file: [UInt8], with identities: [Identity]) throws(AgeError) -> Secret {
    let header = try Header(reading: Armor.isPresent(in: file) ? Armor.read(file) : file)
    let fileKey = try header.fileKey(for: identities)
    guard header.isAuthentic(under: fileKey) else { throw .headerMAC }
    return try Payload.open(header.payload, under: fileKey)
  }
}
