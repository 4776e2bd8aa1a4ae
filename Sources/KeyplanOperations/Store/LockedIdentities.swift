internal import KeyplanAge
internal import KeyplanReporting
internal import KeyplanSecrets

/// Identities in an age file that a passphrase opens, as `keyplan identity new --passphrase` and `age -p` write it.
struct LockedIdentities {
  /// The origin of the file, for messages.
  let origin: String
  private let file: [UInt8]

  /// Nil if the text is not an age file.
  init?(_ text: borrowing Secret, _ origin: String) {
    let bytes = text.withBytes { Array($0) }
    guard Age.isFile(bytes) else { return nil }
    (file, self.origin) = (bytes, origin)
  }

  /// Asks for the passphrase at the terminal.
  func open(in world: World) throws(Failure) -> [Identity] {
    let hasPassphrase: Bool
    do throws(AgeError) {
      hasPassphrase = try Age.hasPassphrase(file)
    } catch {
      throw .invalid(origin, error)
    }
    guard hasPassphrase else { throw .notLocked(origin) }
    guard let passphrase = try world.console.secret("Passphrase of the identity in \(origin): ") else {
      throw .passphraseMissing(origin)
    }
    let opened: SecretBox
    do throws(AgeError) {
      opened = try passphrase.withBytes { (bytes) throws(AgeError) in
        SecretBox(try Age.decrypt(file, passphrase: Secret(copying: bytes)))
      }
    } catch {
      throw error == .noMatch ? .wrongPassphrase(origin) : .invalid(origin, error)
    }
    do throws(AgeError) {
      return try opened.withBytes { [plugins = world.plugins] (bytes) throws(AgeError) in
        try Identity.parseFile(Secret(copying: bytes), plugins: plugins)
      }
    } catch {
      throw .invalid(origin, error)
    }
  }

  /// The file of identities, encrypted with a passphrase; the user types it twice.
  static func locking(_ identities: borrowing Secret, in world: World) throws(Failure) -> [UInt8] {
    guard let passphrase = try world.console.secret("Passphrase for the new identity: ") else {
      throw .noPassphraseGiven
    }
    let repeated = try world.console.secret("The same passphrase again: ")
    guard let repeated, passphrase.withBytes({ one in repeated.withBytes { one.elementsEqual($0) } }) else {
      throw Failure(.usage, "Different passphrases", "The two passphrases are not the same. Nothing was created.")
    }
    let locked = passphrase.withBytes { bytes in
      try? Age.encrypt(identities, passphrase: Secret(copying: bytes), armored: true)
    }
    guard let locked else {
      throw Failure(.failed, "Identity not created", "The cryptographic library failed.")
    }
    return locked
  }
}

extension Failure {
  fileprivate static func notLocked(_ origin: String) -> Failure {
    Failure(
      .storeRefused, "Invalid identity", "\(origin) is an age file that is not encrypted with a passphrase.",
      hint: "Decrypt it with age, and name the identity that is in it.")
  }

  fileprivate static func invalid(_ origin: String, _ error: AgeError) -> Failure {
    Failure(.storeRefused, "Invalid identity", "\(origin): \(error).")
  }

  fileprivate static func passphraseMissing(_ origin: String) -> Failure {
    Failure(
      .storeRefused, "Passphrase required",
      "The identity in \(origin) is encrypted with a passphrase, which is asked for at a terminal. None was given.",
      hint: "Where there is no terminal, use an identity of its own, without a passphrase.")
  }

  fileprivate static func wrongPassphrase(_ origin: String) -> Failure {
    Failure(.storeRefused, "Wrong passphrase", "The identity in \(origin) does not open with this passphrase.")
  }

  fileprivate static let noPassphraseGiven = Failure(
    .usage, "Passphrase required", "--passphrase asks for a passphrase at a terminal. None was given.")
}
