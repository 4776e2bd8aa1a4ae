import KeyplanAge
import KeyplanApply
import KeyplanSecrets

extension EpochKeys {
  /// Decrypts the keyring of a header with the first identity that matches: that for full access, otherwise that for
  /// planning. The header itself is not verified yet.
  static func open(_ header: Header, with identities: [Identity]) throws(StoreError) -> EpochKeys {
    guard let format = StoreMark.format(of: header) else { throw Digest.unknownFormat(header.format) }
    guard let file = header.keyring[Keyring.fullSlot] else {
      throw StoreError(.damaged, "The store has no keyring.", hint: Database.fromBackup)
    }
    let keys: EpochKeys
    do throws(StoreError) {
      guard let keyring = Keyring(try decrypted(file, with: identities)) else { throw newerKeyring }
      keys = try keyring.subkeys(format)
    } catch {
      guard error.code == .wrongIdentity, format.hasRoles, let file = header.keyring[PlanKeyring.slot] else {
        throw error
      }
      guard let keyring = PlanKeyring(try decrypted(file, with: identities)) else { throw newerKeyring }
      keys = keyring.subkeys(format)
    }
    guard header.epoch == keys.epoch else { throw Sealer.tampered }
    return keys
  }

  private static func decrypted(_ file: [UInt8], with identities: [Identity]) throws(StoreError) -> Secret {
    do throws(AgeError) {
      return try Age.decrypt(file, with: identities)
    } catch {
      switch error {
      case .noMatch, .noIdentities, .needsPassphrase:
        throw StoreError(
          .wrongIdentity, "None of the identities can open the store.", hint: "Use another one with --identity.")
      default:
        throw StoreError(.tampered, "The keyring cannot be decrypted: \(error).", hint: Database.fromBackup)
      }
    }
  }

  private static let newerKeyring = StoreError(
    .newerVersion, "The keyring has a version that this version of keyplan does not support.",
    hint: "Use a later version of keyplan.")
}
