import Crypto
import KeyplanSecrets

/// The stanzas of a header.
struct EncryptionRecipients {
  private enum Readable {
    case x25519(X25519Stanza)
    case hybrid(HybridStanza)
    case ssh(SSHStanza)
  }

  /// All of them, including those of unknown types.
  private(set) var stanzas: [Stanza] = []
  var count: Int { stanzas.count }
  private var readable: [(stanza: Readable, line: Int)] = []
  private var passphrase: ScryptStanza?

  var hasPassphrase: Bool { passphrase != nil }

  /// - Parameter line: The line at which the stanza begins.
  mutating func add(_ stanza: Stanza, line: Int) throws(AgeError) {
    stanzas.append(stanza)
    do throws(HeaderFault) {
      switch stanza.type {
      case X25519Stanza.type:
        guard let found = X25519Stanza(stanza) else { throw .x25519 }
        readable.append((.x25519(found), line))
      case HybridStanza.type:
        guard let found = HybridStanza(stanza) else { throw .hybrid }
        readable.append((.hybrid(found), line))
      case SSHStanza.types[0], SSHStanza.types[1]:
        guard let found = SSHStanza(stanza) else { throw .ssh }
        readable.append((.ssh(found), line))
      case ScryptStanza.type:
        passphrase = try ScryptStanza(stanza)
      default:
        break  // An unknown type; the format demands that it is skipped.
      }
      // A passphrase also authenticates the file's author, which a second recipient would undermine.
      guard passphrase == nil || count == 1 else { throw .scryptNotAlone }
    } catch {
      throw .header(error, line: line)
    }
  }

  /// The file key from the first stanza that matches one of the identities. Plugins are asked after the others.
  ///
  /// - Throws: `AgeError.libraryMissing` if only an RSA key matches, and libcrypto is not installed; `AgeError.plugin` if no other
  ///   identity matches, and one's plugin failed.
  func fileKey(for identities: [Identity]) throws(AgeError) -> FileKey {
    guard passphrase == nil else { throw .needsPassphrase }
    var failure = AgeError.noMatch
    for identity in identities {
      for (stanza, line) in readable {
        do throws(AgeError) {
          if let key = try Self.fileKey(in: stanza, for: identity, line: line) { return key }
        } catch {
          guard case .libraryMissing = error else { throw error }
          failure = error
        }
      }
    }
    for identity in identities {
      guard case .plugin(let plugin) = identity.kind else { continue }
      do throws(AgeError) {
        if let key = try plugin.fileKey(in: self) { return key }
      } catch {
        guard case .plugin(_, let fault) = error, fault != .interrupted else { throw error }
        if case .noMatch = failure { failure = error }
      }
    }
    throw failure
  }

  /// Of all stanzas, in their order.
  var digest: [UInt8] {
    var text: [UInt8] = []
    for stanza in stanzas { stanza.append(to: &text) }
    return Array(SHA256.hash(data: text))
  }

  func fileKey(for passphrase: borrowing Secret) throws(AgeError) -> FileKey {
    guard let key = try self.passphrase?.fileKey(for: passphrase) else { throw .noMatch }
    return key
  }

  private static func fileKey(
    in stanza: Readable, for identity: Identity, line: Int
  ) throws(AgeError) -> FileKey? {
    switch (stanza, identity.kind) {
    case (.x25519(let stanza), .x25519(let key)):
      do throws(HeaderFault) {
        return try stanza.fileKey(for: key)
      } catch {
        throw .header(error, line: line)
      }
    case (.hybrid(let stanza), .hybrid(let identity)): return stanza.fileKey(for: identity)
    case (.ssh(let stanza), .ssh(let identity)): return try stanza.fileKey(for: identity, line: line)
    case (.x25519, _), (.hybrid, _), (.ssh, _): return nil
    }
  }
}
