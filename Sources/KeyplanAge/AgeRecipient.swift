/// The public half of an identity, to which files are encrypted. Equal if the keys are, however they were written.
package enum AgeRecipient: Hashable, Sendable, CustomStringConvertible {
  /// `age1…`
  case x25519(X25519Recipient)
  /// `age1pq1…`
  case hybrid(HybridRecipient)
  /// `ssh-ed25519 AAAA…` or `ssh-rsa AAAA…`
  case ssh(SSHPublicKey)
  /// `age1NAME1…`, for `age-plugin-NAME`
  case plugin(PluginRecipient)
  /// A plugin's identity whose recipient is not known. Has no text that another program could use.
  case pluginIdentity(PluginIdentity)

  /// Parses an age recipient, in lower or upper case, or a line of an SSH public key, whose comment is ignored.
  ///
  /// - Throws: `AgeError.invalidRecipient`, also for a low-order point: anyone can decrypt what is encrypted to one.
  package init(parsing text: String) throws(AgeError) {
    do throws(KeyFault) {
      if Self.isSSH(text) {
        self = .ssh(try SSHPublicKey(line: text))
      } else if text.lowercased().hasPrefix(HybridRecipient.prefix + "1") {
        self = .hybrid(try HybridRecipient(parsing: text))
      } else if let recipient = try PluginRecipient(parsing: text) {
        self = .plugin(recipient)
      } else {
        self = .x25519(try X25519Recipient(parsing: text))
      }
    } catch {
      throw .invalidRecipient(error)
    }
  }

  private static func isSSH(_ text: String) -> Bool {
    ["ssh-", "ecdsa-", "sk-"].contains { text.hasPrefix($0) } && text.contains(" ")
  }

  /// `age1…` in lower case, or type and base64 of an SSH key.
  package var description: String {
    switch self {
    case .x25519(let recipient): Self.text(recipient.publicKey, X25519Recipient.prefix)
    case .hybrid(let recipient): Self.text(recipient.publicKey, HybridRecipient.prefix)
    case .ssh(let key): key.line
    case .plugin(let recipient): recipient.text
    case .pluginIdentity(let identity): "unknown recipient of \(identity.plugin.program)"
    }
  }

  /// Whether it has a text to list it by.
  package var isKnown: Bool { if case .pluginIdentity = self { false } else { true } }

  /// The plugin that encrypts to it; nil if none has to be run.
  package var plugin: PluginName? {
    switch self {
    case .x25519, .hybrid, .ssh: nil
    case .plugin(let recipient): recipient.plugin
    case .pluginIdentity(let identity): identity.plugin
    }
  }

  private static func text(_ bytes: [UInt8], _ prefix: String) -> String {
    String(decoding: Bech32.text(of: bytes, prefix: prefix, case: .lower), as: UTF8.self)
  }

  /// Only recipients with equal labels can share a file: a classical stanza would void the promise of a post-quantum one.
  /// Nil if only a plugin knows them.
  package var labels: Set<String>? {
    switch self {
    case .hybrid: ["postquantum"]
    case .x25519, .ssh: []
    case .plugin, .pluginIdentity: nil
    }
  }

  /// The stanzas for a file key, and the labels that a plugin has for them.
  func stanzas(
    wrapping fileKey: FileKey, plugins: any PluginRunning
  ) throws(AgeError) -> (stanzas: [Stanza], labels: Set<String>) {
    let wrapped: PluginStanzas
    switch self {
    case .plugin(let recipient): wrapped = try recipient.wrapped(fileKey, plugins: plugins)
    case .pluginIdentity(let identity): wrapped = try identity.wrapped(fileKey, plugins: plugins)
    case .x25519, .hybrid, .ssh: return ([try stanza(wrapping: fileKey)], labels ?? [])
    }
    return (wrapped.all, wrapped.labels ?? [])
  }

  func stanza(wrapping fileKey: FileKey) throws(AgeError) -> Stanza {
    switch self {
    case .x25519(let recipient): try X25519Stanza(wrapping: fileKey, for: recipient).stanza
    case .hybrid(let recipient): try HybridStanza(wrapping: fileKey, for: recipient).stanza
    case .ssh(let key): try SSHStanza(wrapping: fileKey, for: key).stanza
    case .plugin, .pluginIdentity: throw .cryptography
    }
  }
}
