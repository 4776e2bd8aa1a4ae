import KeyplanAge
import KeyplanPorts
import KeyplanSecrets

extension EpochKeys {
  /// Decrypts the keyring of a header with the first identity that matches: that for full access, otherwise that for
  /// planning. The header itself is not verified yet.
  static func open(_ header: Header, with identities: [Identity]) throws(StoreError) -> EpochKeys {
    guard StoreMark(header) != nil else { throw Digest.unknownFormat(header.format) }
    guard header.keyring[Keyring.fullSlot] != nil else {
      throw StoreError(.damaged, "The store has no keyring.", hint: Database.fromBackup)
    }
    let keys: EpochKeys
    do throws(StoreError) {
      guard let keyring = Keyring(try decrypted(Keyring.fullSlot, of: header, with: identities)) else {
        throw newerKeyring
      }
      keys = try keyring.subkeys()
    } catch {
      guard error.code == .wrongIdentity, header.keyring[PlanKeyring.slot] != nil else { throw error }
      guard let keyring = PlanKeyring(try decrypted(PlanKeyring.slot, of: header, with: identities)) else {
        throw newerKeyring
      }
      keys = keyring.subkeys()
    }
    guard header.epoch == keys.epoch else { throw Sealer.tampered }
    return keys
  }

  /// Decrypts the first file of a keyring, one for each class of recipients, that an identity matches.
  static func decrypted(
    _ slot: String, of header: Header, with identities: [Identity]
  ) throws(StoreError) -> Secret {
    let files = RecipientClass.slots(slot).compactMap { header.keyring[$0] }
    for file in files.dropLast() {
      do throws(StoreError) {
        return try decrypted(file, with: identities)
      } catch {
        guard error.code == .wrongIdentity else { throw error }
      }
    }
    return try decrypted(files.last ?? [], with: identities)
  }

  static func decrypted(_ file: [UInt8], with identities: [Identity]) throws(StoreError) -> Secret {
    do throws(AgeError) {
      return try Age.decrypt(file, with: identities)
    } catch {
      switch error {
      case .noMatch, .noIdentities, .needsPassphrase:
        throw StoreError(
          .wrongIdentity, "None of the identities can open the store.", hint: "Use another one with --identity.")
      case .libraryMissing:
        throw StoreError(.io, "The keyring cannot be decrypted: \(error).", hint: StoreError.installingLibcrypto)
      case .plugin(let plugin, let fault):
        throw StoreError(
          fault == .interrupted ? .interrupted : .plugin, "The keyring cannot be decrypted: \(error).",
          hint: StoreError.installing(plugin, fault))
      default:
        throw StoreError(.tampered, "The keyring cannot be decrypted: \(error).", hint: Database.fromBackup)
      }
    }
  }

  static let newerKeyring = StoreError(
    .newerVersion, "The keyring has a version that this version of keyplan does not support.",
    hint: "Use a later version of keyplan.")
}
