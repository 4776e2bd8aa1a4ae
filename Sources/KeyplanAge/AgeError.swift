/// The reason that an age file or key was rejected. Contains no value of a file, a recipient or an identity.
package enum AgeError: Error, Equatable, Sendable {
  /// The file is well formed but not encrypted to any of the identities.
  case noMatch
  /// The file is encrypted with a passphrase (an `scrypt` stanza), and no identity can decrypt it.
  case needsPassphrase
  /// The header is malformed; lines count from 1.
  case header(HeaderFault, line: Int)
  /// The header was modified: an identity matches, but the MAC is wrong.
  case headerMAC
  /// The text form is not strict armor; lines count from 1.
  case armor(ArmorFault, line: Int)
  /// The encrypted content was truncated, extended or modified.
  case payload(PayloadFault)
  /// A recipient is not usable.
  case invalidRecipient(KeyFault)
  /// An identity is not usable; lines count from 1.
  case invalidIdentity(KeyFault, line: Int)
  /// The identity file contains only comments and empty lines.
  case noIdentities
  /// No recipient was given.
  case noRecipients
  /// More recipients than a reader has to accept (1,024).
  case tooManyRecipients
  /// The recipients have different labels: post-quantum ones and others.
  case mixedRecipients
  /// A passphrase has no characters.
  case emptyPassphrase
  /// An SSH key has no form as an age identity.
  case notExportable
  /// libcrypto, which RSA keys need, is not installed; with the loader's message.
  case libraryMissing(String)
  /// A plugin was of no use.
  case plugin(PluginName, PluginFault)
  /// The cryptographic library failed, which cannot happen with well-formed arguments.
  case cryptography
}

/// An error in a header. The raw value completes a sentence about the file.
package enum HeaderFault: String, Error {
  case notAge = "is not an age file"
  case version = "has an unknown age version"
  case truncated = "is truncated in its header"
  case tooLong = "has a header larger than 1 MiB"
  case tooManyStanzas = "has more than 1,024 stanzas"
  case noStanza = "has no stanza"
  case line = "has a header line that is not a stanza and not the end"
  case argument = "has a stanza argument that is empty or has characters other than visible ASCII"
  case body = "has a stanza body that is not canonical base64 in lines of 64 columns"
  case x25519 = "has a malformed X25519 stanza"
  case lowOrder = "has a low-order X25519 share"
  case hybrid = "has a malformed mlkem768x25519 stanza"
  case ssh = "has an SSH stanza that is malformed, or does not open with the SSH key that it names"
  case scrypt = "has a malformed scrypt stanza"
  case scryptWork = "demands more work for its passphrase than 2^20"
  case scryptNotAlone = "combines a passphrase with other recipients"
  case mac = "has a malformed header MAC"
  case nonce = "is truncated before its payload"
}

/// An error in the armor. The raw value completes a sentence about the file.
package enum ArmorFault: String, Sendable {
  case begin = "does not begin with the line BEGIN AGE ENCRYPTED FILE"
  case end = "does not end with the line END AGE ENCRYPTED FILE"
  case line = "has a line, not the last, without exactly 64 columns"
  case base64 = "has a line that is not canonical base64"
  case trailing = "has content after its armor"
}

/// An error in a payload. The raw value completes a sentence about the file.
package enum PayloadFault: String, Sendable {
  case truncated = "is truncated"
  case emptyLastChunk = "has an empty last chunk"
  case notAuthentic = "was modified, truncated or extended after encryption"
}

/// An error in a recipient or an identity. The raw value completes a sentence about it.
package enum KeyFault: String, Error {
  case notBech32 = "is not Bech32: it has no separator, or no complete checksum"
  case mixedCase = "mixes upper and lower case"
  case sshPublic = "is an SSH public key; the identity is the file without .pub"
  case sshNotAlone = "begins an SSH key, which must be alone in its file"
  case sshEncrypted =
    "begins an SSH key with a passphrase, which keyplan does not read; remove it from a copy with ssh-keygen -p -N ''"
  case sshUnsupported = "is a key that age does not use: only ssh-ed25519 and ssh-rsa are"
  case sshMalformed = "is a malformed SSH key"
  case rsaSize = "is an RSA key without 2,048 to 16,384 bits"
  case plugin = "is for an age plugin, which keyplan does not run here"
  case pluginName = "does not name an age plugin: the name has letters, digits and + - . _"
  case hardware = "is for hardware (age1tag1… or age1tagpq1…), to which keyplan does not encrypt"
  case otherKind = "is not an age key"
  case character = "contains a character that Bech32 does not use"
  case checksum = "has a wrong checksum: a character was mistyped, lost or swapped"
  case length = "does not have the length of its kind"
  case hybrid = "is not a post-quantum key"
  case lowOrder = "is a low-order point, which gives no secrecy"
}

extension AgeError: CustomStringConvertible {
  /// One phrase, without a full stop, so that it can follow a colon.
  package var description: String {
    switch self {
    case .noMatch: "the file is not encrypted to any of these identities"
    case .needsPassphrase: "the file is encrypted with a passphrase, not to an identity"
    case .header(let fault, let line): "the file \(fault.rawValue) (line \(line))"
    case .headerMAC: "the header of the file was modified after encryption"
    case .armor(let fault, let line): "the armored file \(fault.rawValue) (line \(line))"
    case .payload(let fault): "the content of the file \(fault.rawValue)"
    case .invalidRecipient(let fault): "the recipient \(fault.rawValue)"
    case .invalidIdentity(let fault, let line): "line \(line) \(fault.rawValue)"
    case .noIdentities: "the file contains no identity"
    case .noRecipients: "no recipient was given"
    case .tooManyRecipients: "there are more than \(Header.maximumStanzas) recipients"
    case .mixedRecipients: "post-quantum recipients (age1pq1…) and others cannot share a file"
    case .emptyPassphrase: "the passphrase is empty"
    case .notExportable: "an SSH key has no form as an age identity"
    case .libraryMissing(let reason): "RSA keys require OpenSSL's libcrypto, which could not be loaded (\(reason))"
    case .plugin(let name, let fault): "\(name.program) \(fault.words)"
    case .cryptography: "the cryptographic library failed"
    }
  }
}
