import Crypto
import KeyplanCodecs

/// A parsed header, and the position of the payload.
struct Header {
  let recipients: EncryptionRecipients
  /// The header up to and including the three dashes, and the HMAC-SHA-256 over it.
  private let authenticated: ArraySlice<UInt8>
  private let mac: [UInt8]
  /// Everything after the header; at least the nonce.
  let payload: ArraySlice<UInt8>

  /// Bounds the cost of a hostile file: each stanza is tried with each identity.
  static let maximumStanzas = 1024
  static let maximumSize = 1 << 20
  private static let versionLine = "age-encryption.org/v1"

  /// Every age file of any version begins with this.
  static let magic = Array("age-encryption.org/".utf8)

  /// Validates the syntax of everything, including stanzas for other recipients.
  init(reading file: [UInt8]) throws(AgeError) {
    guard file.starts(with: Self.magic) else { throw .header(.notAge, line: 1) }
    var lines = HeaderLines(file, limit: Self.maximumSize)
    guard try lines.next().elementsEqual(Self.versionLine.utf8) else { throw .header(.version, line: 1) }
    var recipients = EncryptionRecipients()
    while true {
      let line = try lines.next()
      let number = lines.number
      if line.starts(with: "-> ".utf8) {
        guard recipients.count < Self.maximumStanzas else { throw .header(.tooManyStanzas, line: number) }
        try recipients.add(try Stanza(startingWith: line, followedBy: &lines), line: number)
      } else if line.starts(with: "---".utf8) {
        guard recipients.count > 0 else { throw .header(.noStanza, line: number) }
        authenticated = file[..<(line.startIndex + 3)]
        guard line.dropFirst(3).first == UInt8(ascii: " "), let mac = Base64.bytes(in: line.dropFirst(4)),
          mac.count == SHA256.byteCount
        else { throw .header(.mac, line: number) }
        self.mac = mac
        break
      } else {
        throw .header(.line, line: number)
      }
    }
    self.recipients = recipients
    payload = file[lines.position...]
    guard payload.count >= Payload.nonceSize else { throw .header(.nonce, line: lines.number) }
  }

  /// Compares in constant time.
  func isAuthentic(under fileKey: FileKey) -> Bool {
    HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: authenticated, using: fileKey.headerKey)
  }

  /// A complete header, to be followed by the payload.
  static func text(of stanzas: [Stanza], under fileKey: FileKey) -> [UInt8] {
    var text = Array(versionLine.utf8)
    text.append(UInt8(ascii: "\n"))
    for stanza in stanzas { stanza.append(to: &text) }
    text += "---".utf8
    let mac = HMAC<SHA256>.authenticationCode(for: text, using: fileKey.headerKey)
    text.append(UInt8(ascii: " "))
    text += Base64.text(of: Array(mac))
    text.append(UInt8(ascii: "\n"))
    return text
  }
}
