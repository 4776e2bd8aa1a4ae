package import KeyplanSecrets

/// Encrypts and decrypts whole age v1 files in memory (c2sp.org/age).
package enum Age {
  /// Encrypts to all recipients; the identity of any of them can decrypt the file.
  ///
  /// - Parameter plugins: runs the plugins that recipients need.
  /// - Returns: The binary file, or with `armored` its text form in lines of 64 columns, with a final line feed.
  /// - Throws: `AgeError.mixedRecipients` unless all have the same labels.
  package static func encrypt(
    _ plaintext: borrowing Secret, to recipients: [AgeRecipient], armored: Bool = false,
    plugins: any PluginRunning = NoPlugins()
  ) throws(AgeError) -> [UInt8] {
    let known = Set(recipients.compactMap(\.labels))
    guard known.count <= 1 else { throw .mixedRecipients }
    let files = try encryptByLabels(plaintext, to: recipients, armored: armored, plugins: plugins)
    guard let file = files.first, files.count == 1 else { throw .mixedRecipients }
    return file.bytes
  }

  /// Encrypts a file for each set of labels that the recipients have, so that all of them are served.
  package static func encryptByLabels(
    _ plaintext: borrowing Secret, to recipients: [AgeRecipient], armored: Bool = false,
    plugins: any PluginRunning = NoPlugins()
  ) throws(AgeError) -> [(labels: Set<String>, bytes: [UInt8])] {
    guard !recipients.isEmpty else { throw .noRecipients }
    guard recipients.count <= Header.maximumStanzas else { throw .tooManyRecipients }
    var wraps = LabelledWraps(plugins: plugins)
    for recipient in recipients { try wraps.add(recipient) }
    var files: [(labels: Set<String>, bytes: [UInt8])] = []
    for (labels, fileKey, stanzas) in wraps.files where !stanzas.isEmpty {
      guard stanzas.count <= Header.maximumStanzas else { throw .tooManyRecipients }
      files.append((labels, try file(plaintext, stanzas, under: fileKey, armored: armored)))
    }
    return files
  }

  /// Encrypts with a passphrase, which is a file's only recipient.
  ///
  /// - Parameter workFactor: the base-2 logarithm of scrypt's cost
  /// - Throws: `AgeError.emptyPassphrase`
  package static func encrypt(
    _ plaintext: borrowing Secret, passphrase: borrowing Secret, workFactor: Int = ScryptStanza.defaultWorkFactor,
    armored: Bool = false
  ) throws(AgeError) -> [UInt8] {
    let fileKey = FileKey.generate()
    let stanza = try ScryptStanza(wrapping: fileKey, with: passphrase, workFactor: workFactor).stanza
    return try file(plaintext, [stanza], under: fileKey, armored: armored)
  }

  /// Decrypts a file, armored or binary, with the first identity that matches one of its stanzas.
  ///
  /// Returns only content that was authenticated completely. Time and memory are linear in the file's size.
  package static func decrypt(_ file: [UInt8], with identities: [Identity]) throws(AgeError) -> Secret {
    let header = try header(of: file)
    return try open(header, under: header.recipients.fileKey(for: identities))
  }

  /// Decrypts a file that was encrypted with a passphrase. Costs up to 5 seconds and 1 GiB.
  package static func decrypt(_ file: [UInt8], passphrase: borrowing Secret) throws(AgeError) -> Secret {
    let header = try header(of: file)
    return try open(header, under: header.recipients.fileKey(for: passphrase))
  }

  /// Whether the bytes begin as an age file does, armored or binary.
  package static func isFile(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: Header.magic) || Armor.begins(bytes)
  }

  /// Whether a file was encrypted with a passphrase.
  package static func hasPassphrase(_ file: [UInt8]) throws(AgeError) -> Bool {
    try header(of: file).recipients.hasPassphrase
  }

  private static func header(of file: [UInt8]) throws(AgeError) -> Header {
    try Header(reading: Armor.isPresent(in: file) ? Armor.read(file) : file)
  }

  private static func open(_ header: Header, under fileKey: FileKey) throws(AgeError) -> Secret {
    guard header.isAuthentic(under: fileKey) else { throw .headerMAC }
    return try Payload.open(header.payload, under: fileKey)
  }

  private static func file(
    _ plaintext: borrowing Secret, _ stanzas: [Stanza], under fileKey: FileKey, armored: Bool
  ) throws(AgeError) -> [UInt8] {
    var file = Header.text(of: stanzas, under: fileKey)
    guard file.count <= Header.maximumSize else { throw .tooManyRecipients }
    try Payload.append(plaintext, under: fileKey, to: &file)
    return armored ? Armor.text(of: file) : file
  }
}
