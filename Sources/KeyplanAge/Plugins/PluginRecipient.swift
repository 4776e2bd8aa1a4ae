import KeyplanSecrets

/// `age1NAME1…`: the recipient to which the program `age-plugin-NAME` encrypts file keys.
package struct PluginRecipient: Hashable, Sendable {
  package let plugin: PluginName
  /// In lower case.
  let text: String

  private static let prefix = "age1"

  /// Nil for a text that does not have the form of a plugin's recipient.
  /// - Throws: for one with a wrong checksum.
  init?(parsing text: String) throws(KeyFault) {
    guard let name = Self.name(in: text) else { return nil }
    guard let plugin = PluginName(name.utf8) else { throw PluginName.native.contains(name) ? .hardware : .pluginName }
    _ = try Bech32.read(text.utf8, prefix: Self.prefix + name)
    (self.plugin, self.text) = (plugin, text.lowercased())
  }

  /// With the length of an X25519 recipient it is rather one with a mistyped l, unless its checksum is right.
  private static func name(in text: String) -> String? {
    let lower = text.lowercased()
    guard lower.hasPrefix(prefix), let end = lower.utf8.lastIndex(of: UInt8(ascii: "1")) else { return nil }
    let start = lower.utf8.index(lower.startIndex, offsetBy: prefix.utf8.count)
    guard start < end else { return nil }
    let name = String(lower[start..<end])
    guard text.utf8.count != 62 || (try? Bech32.read(text.utf8, prefix: prefix + name)) != nil else { return nil }
    return name
  }
}

/// `AGE-PLUGIN-NAME-1…`: the identity with which the program `age-plugin-NAME` decrypts file keys.
///
/// Copies share the file keys that the plugin has decrypted, so that it does not ask twice for one file.
package final class PluginIdentity: Sendable {
  package let plugin: PluginName
  /// In upper case.
  let text: SecretBox
  /// The recipient that a comment before it names; nil if there is none.
  let known: AgeRecipient?
  private let plugins: any PluginRunning
  private let opened = PluginFileKeys()

  private static let prefix = "age-plugin-"

  /// - Parameter line: without blanks around it.
  init(
    line: some BidirectionalCollection<UInt8>, recipient: AgeRecipient?, plugins: any PluginRunning
  ) throws(KeyFault) {
    let lower = line.map(Bech32.lowercased)
    guard let end = lower.lastIndex(of: UInt8(ascii: "1")), end > Self.prefix.utf8.count,
      lower[end - 1] == UInt8(ascii: "-"), let plugin = PluginName(lower[Self.prefix.utf8.count..<(end - 1)])
    else { throw .pluginName }
    _ = try Bech32.read(line, prefix: "\(Self.prefix)\(plugin)-")
    self.plugin = plugin
    text = SecretBox(line.map(Bech32.uppercased))
    known = recipient
    self.plugins = plugins
  }

  static func isMeant(by line: some Collection<UInt8>) -> Bool {
    line.prefix(prefix.utf8.count).map(Bech32.lowercased) == Array(prefix.utf8)
  }

  /// The file key of a header with these stanzas; nil if the plugin recognizes none of them.
  func fileKey(in header: EncryptionRecipients) throws(AgeError) -> FileKey? {
    if let answer = opened[header.digest] { return answer.key }
    let exchange = try plugins.run(plugin, PluginIdentityExchange(identity: self, stanzas: header.stanzas))
    opened[header.digest] = PluginFileKeys.Answer(key: exchange.fileKey)
    return exchange.fileKey
  }

  /// Runs the plugin to encrypt to this identity, whose recipient is not known.
  func wrapped(_ fileKey: FileKey, plugins: any PluginRunning) throws(AgeError) -> PluginStanzas {
    try plugins.run(plugin, PluginRecipientExchange(.identity(self), fileKey)).stanzas
  }
}

extension PluginIdentity: Hashable {
  package static func == (left: PluginIdentity, right: PluginIdentity) -> Bool { left.text.equals(right.text) }
  package func hash(into hasher: inout Hasher) { hasher.combine(plugin) }
}

extension PluginRecipient {
  func wrapped(_ fileKey: FileKey, plugins: any PluginRunning) throws(AgeError) -> PluginStanzas {
    try plugins.run(plugin, PluginRecipientExchange(.recipient(self), fileKey)).stanzas
  }
}
