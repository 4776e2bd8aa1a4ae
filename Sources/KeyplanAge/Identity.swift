import Crypto
import FoundationEssentials
package import KeyplanSecrets

/// A private key, which decrypts files encrypted to its recipient: `AGE-SECRET-KEY-1…`, `AGE-SECRET-KEY-PQ-1…` or an SSH
/// key; or a reference to a plugin's key, `AGE-PLUGIN-NAME-1…`.
///
/// Copies share one buffer, which is zeroed with the last reference. Printing, dumping and mirrors reveal nothing of
/// it.
package struct Identity: Sendable, Redacted {
  enum Kind: Sendable {
    case x25519(Curve25519.KeyAgreement.PrivateKey)
    case hybrid(HybridIdentity)
    case ssh(SSHIdentity)
    case plugin(PluginIdentity)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// A new X25519 identity from the system's random source.
  package static func generate() -> Identity { Identity(.x25519(Curve25519.KeyAgreement.PrivateKey())) }

  /// A new post-quantum identity.
  package static func generatePostQuantum() throws(AgeError) -> Identity { Identity(.hybrid(try .generate())) }

  /// Parses `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…`, in upper or lower case, surrounded by nothing but white space.
  ///
  /// - Throws: `AgeError.invalidIdentity`, as line 1.
  package init(parsing text: borrowing Secret) throws(AgeError) {
    self = try text.withBytes { (bytes) throws(AgeError) in try Identity(line: bytes, at: 1) }
  }

  /// Parses an SSH private key, or an identity file as `age-keygen` writes it: one identity per line, `#` comments, empty
  /// lines.
  ///
  /// The recipient of a plugin's identity is the one that a comment before it names, as in `# recipient: age1NAME1…`.
  ///
  /// - Parameter plugins: runs the plugins of identities; nil where those are refused.
  /// - Throws: `AgeError.invalidIdentity` for the first line that is not an identity, `.noIdentities` if there are
  ///   none.
  package static func parseFile(
    _ file: borrowing Secret, plugins: (any PluginRunning)? = nil
  ) throws(AgeError) -> [Identity] {
    try file.withBytes { (bytes) throws(AgeError) in
      let content = bytes[...].trimmingBlanks()
      if SSHIdentity.isPresent(in: content) {
        do throws(KeyFault) {
          return [Identity(.ssh(try SSHIdentity(pem: UnsafeRawBufferPointer(rebasing: content))))]
        } catch {
          throw .invalidIdentity(error, line: 1)
        }
      }
      var identities: [Identity] = []
      var number = 0
      // Parsed only for a plugin's identity: checking a public key would take a tenth of `keyplan get`.
      var comments: [Slice<UnsafeRawBufferPointer>] = []
      for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        number += 1
        let content = line.trimmingBlanks()
        if content.first == UInt8(ascii: "#") { comments.append(content) }
        if content.isEmpty || content.first == UInt8(ascii: "#") { continue }
        let line = UnsafeRawBufferPointer(rebasing: content)
        if let plugins, PluginIdentity.isMeant(by: line) {
          let recipient = comments.reversed().lazy.compactMap { Self.recipient(inComment: $0) }.first
          identities.append(try Identity(pluginLine: line, at: number, recipient, plugins))
        } else {
          identities.append(try Identity(line: line, at: number))
        }
        comments = []
      }
      guard !identities.isEmpty else { throw .noIdentities }
      return identities
    }
  }

  private init(
    pluginLine line: UnsafeRawBufferPointer, at number: Int, _ recipient: AgeRecipient?, _ plugins: any PluginRunning
  ) throws(AgeError) {
    do throws(KeyFault) {
      kind = .plugin(try PluginIdentity(line: line, recipient: recipient, plugins: plugins))
    } catch {
      throw .invalidIdentity(error, line: number)
    }
  }

  /// `# public key: …` or `# Recipient: …`, as plugins write it.
  private static func recipient(inComment line: Slice<UnsafeRawBufferPointer>) -> AgeRecipient? {
    guard let text = String(validating: line.dropFirst(), as: UTF8.self), let colon = text.firstIndex(of: ":") else {
      return nil
    }
    let label = text[..<colon].lowercased().split(separator: " ").joined(separator: " ")
    guard ["public key", "recipient"].contains(label) else { return nil }
    let value = text[text.index(after: colon)...].split(whereSeparator: \.isWhitespace)
    return value.count == 1 ? try? AgeRecipient(parsing: String(value[0])) : nil
  }

  private init(line: UnsafeRawBufferPointer, at number: Int) throws(AgeError) {
    do throws(KeyFault) {
      let content = line[...].trimmingBlanks()
      guard !content.starts(with: "ssh-".utf8) else { throw .sshPublic }
      guard !SSHIdentity.isPresent(in: content) else { throw .sshNotAlone }
      guard !PluginIdentity.isMeant(by: content) else { throw .plugin }
      if content.lowercasedPrefix(HybridIdentity.prefix.utf8.count) == Array(HybridIdentity.prefix.utf8) {
        let seed = SecretBox(try Bech32.read(content, prefix: HybridIdentity.prefix))
        guard let identity = HybridIdentity(seed: seed) else { throw .length }
        kind = .hybrid(identity)
      } else {
        let bytes = try Bech32.read(content, prefix: Self.prefix)
        let key = bytes.withBytes { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
        guard let key else { throw .length }
        kind = .x25519(key)
      }
    } catch {
      throw .invalidIdentity(error, line: number)
    }
  }

  /// The recipient whose files this identity decrypts.
  package var recipient: AgeRecipient {
    switch kind {
    case .x25519(let key): .x25519(X25519Recipient(key.publicKey))
    case .hybrid(let identity): .hybrid(identity.recipient)
    case .ssh(let identity): .ssh(identity.publicKey)
    case .plugin(let identity): identity.known ?? .pluginIdentity(identity)
    }
  }

  /// The plugin that uses it; nil if keyplan does.
  package var plugin: PluginName? { if case .plugin(let identity) = kind { identity.plugin } else { nil } }

  /// `AGE-SECRET-KEY-1…` or `AGE-SECRET-KEY-PQ-1…` without a line feed, for an identity file.
  ///
  /// - Throws: `AgeError.notExportable` for others.
  package func exported() throws(AgeError) -> Secret {
    switch kind {
    case .x25519(let key):
      // Not to be zeroed here: on Linux these are the key's own bytes, which are zeroed with the last copy.
      Secret(key.rawRepresentation.withUnsafeBytes { Bech32.text(of: $0, prefix: Self.prefix, case: .upper) })
    case .hybrid(let identity):
      Secret(identity.seed.withBytes { Bech32.text(of: $0, prefix: HybridIdentity.prefix, case: .upper) })
    case .ssh, .plugin: throw .notExportable
    }
  }

  private static let prefix = "age-secret-key-"
}

extension Slice<UnsafeRawBufferPointer> {
  /// Removes spaces, tabs and line ends at both ends.
  fileprivate func trimmingBlanks() -> Self {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = firstIndex { !isBlank($0) } ?? endIndex
    let end = lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return self[start..<end]
  }

  fileprivate func lowercasedPrefix(_ count: Int) -> [UInt8] {
    prefix(count).map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
