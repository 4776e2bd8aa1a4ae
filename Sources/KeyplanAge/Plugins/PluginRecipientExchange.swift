import KeyplanSecrets

/// The stanzas into which a plugin encrypted a file key.
struct PluginStanzas: Sendable {
  fileprivate(set) var all: [Stanza] = []
  /// Only recipients with equal labels can share a file.
  fileprivate(set) var labels: Set<String>?
}

/// `recipient-v1`: a plugin encrypts the key of one file to one recipient.
struct PluginRecipientExchange: PluginExchange {
  enum Recipient: Sendable {
    case recipient(PluginRecipient)
    case identity(PluginIdentity)
  }

  static let machine = "recipient-v1"
  /// Nearly all plugins return one.
  private static let maximumStanzas = 64
  let opening: [UInt8]
  private(set) var stanzas = PluginStanzas()
  private var questions = PluginQuestions()

  init(_ recipient: Recipient, _ fileKey: FileKey) {
    let first =
      switch recipient {
      case .recipient(let recipient): PluginStanza("add-recipient", recipient.text)
      case .identity(let identity): PluginStanza("add-identity", identity.text.withBytes { Array($0) })
      }
    opening =
      first.bytes + PluginStanza("wrap-file-key", body: fileKey.withBytes { Array($0) }).bytes
      + PluginStanza("extension-labels").bytes + PluginStanza("done").bytes
  }

  mutating func receive(_ stanza: PluginStanza) throws(PluginFault) -> PluginStep {
    switch stanza.command {
    case "recipient-stanza":
      guard stanza.arguments.count >= 2, stanza.arguments.first.map({ $0.elementsEqual("0".utf8) }) == true else {
        throw .malformed(.command)
      }
      let wrapped = Stanza(arguments: Array(stanza.arguments.dropFirst()), body: stanza.body)
      guard Self.isReadable(wrapped) else { throw .malformed(.native) }
      stanzas.all.append(wrapped)
      guard stanzas.all.count <= Self.maximumStanzas else { throw .malformed(.total) }
      return .answer(.ok)
    case "labels":
      guard stanzas.labels == nil else { throw .malformed(.repeated) }
      stanzas.labels = Set(stanza.arguments.map { String(decoding: $0, as: UTF8.self) })
      return .answer(.ok)
    case "done":
      guard !stanzas.all.isEmpty else { throw .malformed(.noStanza) }
      return .done
    default: return try questions.receive(stanza)
    }
  }

  /// One stanza that is not readable makes the file unreadable for all recipients.
  private static func isReadable(_ stanza: Stanza) -> Bool {
    var header = EncryptionRecipients()
    do throws(AgeError) { try header.add(stanza, line: 1) } catch { return false }
    return !header.hasPassphrase
  }
}

/// `identity-v1`: a plugin decrypts the key of one file.
struct PluginIdentityExchange: PluginExchange {
  static let machine = "identity-v1"
  let opening: [UInt8]
  /// Nil if the plugin recognized no stanza.
  private(set) var fileKey: FileKey?
  private var questions = PluginQuestions()

  /// - Parameter stanzas: all of the header, also those of other kinds.
  init(identity: PluginIdentity, stanzas: [Stanza]) {
    var opening = PluginStanza("add-identity", identity.text.withBytes { Array($0) }).bytes
    for stanza in stanzas {
      let command = [Array("recipient-stanza".utf8), Array("0".utf8)]
      opening += PluginStanza(Stanza(arguments: command + stanza.arguments, body: stanza.body)).bytes
    }
    self.opening = opening + PluginStanza("done").bytes
  }

  mutating func receive(_ stanza: PluginStanza) throws(PluginFault) -> PluginStep {
    switch stanza.command {
    case "file-key":
      guard stanza.arguments.count == 1, stanza.arguments.first.map({ $0.elementsEqual("0".utf8) }) == true else {
        throw .malformed(.command)
      }
      guard fileKey == nil else { throw .malformed(.repeated) }
      guard let key = stanza.body.withUnsafeBytes({ FileKey($0) }) else { throw .malformed(.fileKey) }
      fileKey = key
      return .answer(.ok)
    case "done": return .done
    default: return try questions.receive(stanza)
    }
  }
}

/// The commands that both state machines have, and unknown ones, which a plugin may send to see that they are ignored.
private struct PluginQuestions {
  private var count = 0
  /// Fewer than the answers that a connection holds: a plugin that does not read them is ended before keyplan waits for it.
  private static let maximum = 128

  mutating func receive(_ stanza: PluginStanza) throws(PluginFault) -> PluginStep {
    let arguments = Array(stanza.arguments)
    count += 1
    guard count <= Self.maximum else { throw .malformed(.messages) }
    switch stanza.command {
    case "error": return .reported(try PluginTexts.shown(stanza.body))
    case "msg", "confirm", "request-public", "request-secret":
      let text = try PluginTexts.shown(stanza.body)
      switch stanza.command {
      case "msg": return .ask(.show(text))
      case "confirm":
        guard (1...2).contains(arguments.count) else { throw .malformed(.command) }
        let no: String? = arguments.count == 2 ? try PluginTexts.shown(base64: arguments[1]) : nil
        return .ask(.confirm(text, yes: try PluginTexts.shown(base64: arguments[0]), no: no))
      default: return .ask(.request(text, isHidden: stanza.command == "request-secret"))
      }
    default: return .answer(.unsupported)
    }
  }
}
