import KeyplanModel
import KeyplanSecrets

/// The status lines of gpg, `[GNUPG:] KEYWORD ARGUMENTS` (gnupg, `doc/DETAILS`).
struct GPGStatus {
  private var keywords: Set<String> = []
  private var isLocked = false

  /// Codes of libgpg-error for a key that requires a passphrase: wrong, no pinentry, canceled, no passphrase, fully canceled.
  private static let locked: Set<Int> = [11, 85, 99, 177, 198]

  init(_ standardError: SecretBox) {
    let lines = standardError.withBytes { bytes in
      bytes.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: "[GNUPG:] ".utf8) }.map {
        String(decoding: $0.dropFirst(9), as: UTF8.self).split(separator: " ")
      }
    }
    for words in lines {
      guard let keyword = words.first else { continue }
      keywords.insert(String(keyword))
      if keyword == "ERROR", words.count > 2, words[1].hasPrefix("pkdecrypt"),
        // A name can follow the number: `151011327_EOF`.
        let code = Int(words[2].prefix { $0 != "_" })
      {
        // The upper bits are the source of the error.
        isLocked = isLocked || Self.locked.contains(code & 0xFFFF)
      }
    }
  }

  /// Whether all of the output is authentic.
  var isDecrypted: Bool { keywords.contains("DECRYPTION_OKAY") && keywords.contains("GOODMDC") }

  var failure: AccessFailure {
    if isLocked {
      return AccessFailure(
        .sealed, "The key that decrypts the entry is locked: its passphrase is not in gpg-agent.",
        hint: "Unlock it, for example with `pass show NAME`, and try again.")
    }
    if keywords.contains("NO_SECKEY") {
      return AccessFailure(
        .denied, "The entry is not encrypted to a key of this user.",
        hint: "Encrypt it to such a key with `pass init`, or set GNUPGHOME.")
    }
    return AccessFailure(.unreadable, "gpg could not decrypt the entry. Run `gpg --decrypt` on its file to see why.")
  }
}
