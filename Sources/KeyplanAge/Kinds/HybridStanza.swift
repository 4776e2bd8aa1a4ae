import KeyplanCodecs
import KeyplanSecrets

/// `-> mlkem768x25519 ENC`: the file key, sealed to a post-quantum recipient.
struct HybridStanza {
  private let encapsulated: [UInt8]
  private let body: [UInt8]

  static let type = Array("mlkem768x25519".utf8)

  /// Nil if it is malformed.
  init?(_ stanza: Stanza) {
    guard stanza.arguments.count == 2, let encapsulated = Base64.bytes(in: stanza.arguments[1][...]),
      encapsulated.count == HybridSealing.encapsulatedSize, stanza.body.count == FileKey.size + ChaCha.tagSize
    else { return nil }
    self.encapsulated = encapsulated
    body = stanza.body
  }

  init(wrapping fileKey: FileKey, for recipient: HybridRecipient) throws(AgeError) {
    let sealed = fileKey.withBytes { HybridSealing.seal($0, to: recipient.publicKey) }
    guard let sealed else { throw .cryptography }
    (encapsulated, body) = sealed
  }

  var stanza: Stanza { Stanza(arguments: [Self.type, Base64.text(of: encapsulated)], body: body) }

  /// Nil if the stanza is for another recipient.
  func fileKey(for identity: HybridIdentity) -> FileKey? {
    HybridSealing.open(body, encapsulated: encapsulated, with: identity.seed).flatMap { $0.withBytes { FileKey($0) } }
  }
}
