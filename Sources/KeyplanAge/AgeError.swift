/// Why an age file or key was refused. Places and kinds only: no value of a file, a recipient or an identity.
package enum AgeError: Error, Equatable, Sendable {
  /// The file is well formed and addressed to none of the identities.
  case noMatch
  /// The file is encrypted to a passphrase (an `scrypt` stanza), which this module does not open.
  case needsPassphrase
  /// The header is malformed; lines count from 1.
  case header(HeaderFault, line: Int)
  /// The header was changed after it was written: an identity opens it, its MAC is wrong.
  case headerMAC
  /// The text around the file is not strict armor; lines count from 1.
  case armor(ArmorFault, line: Int)
  /// The encrypted content was cut, extended or changed.
  case payload(PayloadFault)
  /// A recipient cannot be used.
  case invalidRecipient(KeyFault)
  /// An identity cannot be used; lines count from 1.
  case invalidIdentity(KeyFault, line: Int)
  /// The identity file holds comments and empty lines only.
  case noIdentities
  /// There is nobody to encrypt to.
  case noRecipients
  /// More recipients than a reader has to accept (1,024).
  case tooManyRecipients
  /// The cryptographic library failed for a reason of its own, which well-formed arguments exclude.
  case cryptography
}

/// What is wrong with a header. The raw value is the end of a sentence about the file.
package enum HeaderFault: String, Error {
  case notAge = "is not an age file"
  case version = "is of an unknown version of age"
  case truncated = "ends inside its header"
  case tooLong = "has a header of more than 1 MiB"
  case tooManyStanzas = "has more than 1,024 stanzas"
  case noStanza = "has no stanza"
  case line = "has a header line that is neither a stanza nor the end"
  case argument = "has a stanza argument that is empty or not visible ASCII"
  case body = "has a stanza body that is not canonical base64 in lines of 64"
  case x25519 = "has a malformed X25519 stanza"
  case lowOrder = "has an X25519 share of low order"
  case scryptNotAlone = "mixes a passphrase with other recipients"
  case mac = "has a malformed header MAC"
  case nonce = "ends before its payload"
}

/// What is wrong with an armor. The raw value is the end of a sentence about the file.
package enum ArmorFault: String, Sendable {
  case begin = "does not begin with the line BEGIN AGE ENCRYPTED FILE"
  case end = "does not end with the line END AGE ENCRYPTED FILE"
  case line = "has a line that is not of 64 columns and not the last"
  case base64 = "has a line that is not canonical base64"
  case trailing = "goes on after its armor"
}

/// What is wrong with a payload. The raw value is the end of a sentence about the file.
package enum PayloadFault: String, Sendable {
  case truncated = "is cut"
  case emptyLastChunk = "has an empty last chunk"
  case notAuthentic = "was changed, cut or extended after it was encrypted"
}

/// What is wrong with a recipient or an identity. The raw value is the end of a sentence about it.
package enum KeyFault: String, Error {
  case notBech32 = "is not Bech32: it has no separator or ends before its checksum"
  case mixedCase = "mixes upper and lower case"
  case otherKind = "is of another kind than X25519"
  case character = "has a character that Bech32 does not know"
  case checksum = "has a wrong checksum: a character was mistyped, lost or swapped"
  case length = "is not of 32 bytes"
  case lowOrder = "is a point of low order, to which nothing can be encrypted"
}

extension AgeError: CustomStringConvertible {
  /// One phrase for people.
  package var description: String {
    switch self {
    case .noMatch: "the file is not encrypted to any of these identities"
    case .needsPassphrase: "the file is encrypted to a passphrase, not to an identity"
    case .header(let fault, let line): "the file \(fault.rawValue) (line \(line))"
    case .headerMAC: "the header of the file was changed after it was encrypted"
    case .armor(let fault, let line): "the armored file \(fault.rawValue) (line \(line))"
    case .payload(let fault): "the content of the file \(fault.rawValue)"
    case .invalidRecipient(let fault): "the recipient \(fault.rawValue)"
    case .invalidIdentity(let fault, let line): "the identity in line \(line) \(fault.rawValue)"
    case .noIdentities: "there is no identity in the file"
    case .noRecipients: "there is no recipient"
    case .tooManyRecipients: "there are more than \(Header.maximumStanzas) recipients"
    case .cryptography: "the cryptographic library failed"
    }
  }
}
