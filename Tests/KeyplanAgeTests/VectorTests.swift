import Crypto
import KeyplanAge
import Testing

@Suite("C2SP's vectors")
struct VectorTests {
  /// A kind of recipient that this module leaves out; the value is how its vectors end instead.
  enum Unbuilt: String {
    /// scrypt: a well-formed file is told to need a passphrase, and the stanza is not looked into.
    case passphrase = "needs passphrase"
    /// mlkem768x25519: the stanza is skipped as any unknown one, and its identities are refused as of another kind.
    case postQuantum = "no match"
  }

  static let unbuilt: [Unbuilt: Set<String>] = [
    .passphrase: [
      "armor_scrypt", "scrypt", "scrypt_bad_tag", "scrypt_extra_argument", "scrypt_long_file_key", "scrypt_no_match",
      "scrypt_work_factor_hex", "scrypt_work_factor_leading_garbage", "scrypt_work_factor_leading_plus",
      "scrypt_work_factor_leading_zero_decimal", "scrypt_work_factor_leading_zero_octal", "scrypt_work_factor_negative",
      "scrypt_work_factor_trailing_garbage", "scrypt_work_factor_wrong", "scrypt_work_factor_zero",
    ],
    .postQuantum: [
      "hybrid", "hybrid_and_x25519", "hybrid_extra_argument", "hybrid_grease", "hybrid_long_file_key",
      "hybrid_long_share", "hybrid_not_canonical_enc", "hybrid_short_share",
    ],
  ]

  @Test("every vector ends as it says, or as the list of kinds left out says", arguments: try Vector.names())
  func outcome(name: String) throws {
    let vector = try Vector(named: name)
    let demanded = try #require(vector["expect"].first)
    let unbuilt = Self.unbuilt.first { $0.value.contains(name) }?.key
    #expect(unbuilt?.rawValue != demanded, "the list holds what needs no place in it")
    let expected = unbuilt?.rawValue ?? demanded
    do {
      let plaintext = bytes(of: try Age.decrypt(vector.file, with: try identities(for: vector)))
      #expect(expected == "success")
      #expect(hex(SHA256.hash(data: plaintext)) == vector["payload"].first)
    } catch let error as AgeError {
      #expect(outcome(of: error) == expected, "\(error)")
    }
  }

  @Test("all hundred vectors are there, and the list names no other")
  func complete() throws {
    let names = Set(try Vector.names())
    #expect(names.count == 100)
    #expect(Self.unbuilt.values.allSatisfy(names.isSuperset))
  }

  private func identities(for vector: Vector) throws -> [Identity] {
    var identities: [Identity] = []
    for text in vector["identity"] {
      if text.hasPrefix("AGE-SECRET-KEY-PQ-") {
        #expect(throws: AgeError.invalidIdentity(.otherKind, line: 1)) { try identity(text) }
      } else {
        identities.append(try identity(text))
      }
    }
    return identities.isEmpty ? [Identity.generate()] : identities
  }

  private func outcome(of error: AgeError) -> String {
    switch error {
    case .noMatch: "no match"
    case .needsPassphrase: "needs passphrase"
    case .header: "header failure"
    case .headerMAC: "HMAC failure"
    case .armor: "armor failure"
    case .payload: "payload failure"
    default: "another error"
    }
  }
}
