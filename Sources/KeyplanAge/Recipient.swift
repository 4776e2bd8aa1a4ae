/// To whom files are encrypted: the public half of an identity. Equal if the keys are, however they were written.
package enum Recipient: Hashable, Sendable, CustomStringConvertible {
  /// `age1…`
  case x25519(X25519Recipient)
  /// `age1pq1…`
  case hybrid(HybridRecipient)
  /// `ssh-ed25519 AAAA…` or `ssh-rsa AAAA…`
  case ssh(SSHPublicKey)

  /// Parses an age recipient, in lower or upper case, or a line of an SSH public key, whose comment is ignored.
  ///
  /// - Throws: `AgeError.invalidRecipient`, also for a low-order point: anyone can decrypt what is encrypted to one.
  package init(parsing text: String) throws(AgeError) {
    do throws(KeyFault) {
      if Self.isSSH(text) {
        self = .ssh(try SSHPublicKey(line: text))
      } else if text.lowercased().hasPrefix(HybridRecipient.prefix + "1") {
        self = .hybrid(try HybridRecipient(parsing: text))
      } else {
        guard !Self.isForPlugin(text.lowercased()) else { throw .plugin }
        self = .x25519(try X25519Recipient(parsing: text))
      }
    } catch {
      throw .invalidRecipient(error)
    }
  }

  private static func isSSH(_ text: String) -> Bool {
    ["ssh-", "ecdsa-", "sk-"].contains { text.hasPrefix($0) } && text.contains(" ")
  }

  /// `age1NAME1…`. With the length of an X25519 recipient it is rather one with a mistyped l.
  private static func isForPlugin(_ text: String) -> Bool {
    text.hasPrefix("age1") && text.dropFirst(4).contains("1") && text.utf8.count != 62
  }

  /// `age1…` in lower case, or type and base64 of an SSH key.
  package var description: String {
    switch self {
    case .x25519(let recipient): Self.text(recipient.publicKey, X25519Recipient.prefix)
    case .hybrid(let recipient): Self.text(recipient.publicKey, HybridRecipient.prefix)
    case .ssh(let key): key.line
    }
  }

  private static func text(_ bytes: [UInt8], _ prefix: String) -> String {
    String(decoding: Bech32.text(of: bytes, prefix: prefix, case: .lower), as: UTF8.self)
  }

  /// Only recipients with equal labels can share a file: a classical stanza would take from a post-quantum one what it
  /// promises.
  package var labels: Set<String> {
    switch self {
    case .hybrid: ["postquantum"]
    case .x25519, .ssh: []
    }
  }

  func stanza(wrapping fileKey: FileKey) throws(AgeError) -> Stanza {
    switch self {
    case .x25519(let recipient): try X25519Stanza(wrapping: fileKey, for: recipient).stanza
    case .hybrid(let recipient): try HybridStanza(wrapping: fileKey, for: recipient).stanza
    case .ssh(let key): try SSHStanza(wrapping: fileKey, for: key).stanza
    }
  }
}
