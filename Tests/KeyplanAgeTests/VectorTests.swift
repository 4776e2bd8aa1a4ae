import Crypto
import KeyplanAge
import KeyplanSecrets
import Testing

@Suite("C2SP's vectors")
struct VectorTests {
  @Test("every vector ends as it says", arguments: try Vector.names())
  func outcome(name: String) throws {
    let vector = try Vector(named: name)
    let expected = try #require(vector["expect"].first)
    do {
      let plaintext =
        if let passphrase = vector["passphrase"].first {
          bytes(of: try Age.decrypt(vector.file, passphrase: Secret(Array(passphrase.utf8))))
        } else {
          bytes(of: try Age.decrypt(vector.file, with: try identities(for: vector)))
        }
      #expect(expected == "success")
      #expect(hex(SHA256.hash(data: plaintext)) == vector["payload"].first)
    } catch let error as AgeError {
      #expect(outcome(of: error) == expected, "\(error)")
    }
  }

  @Test("all hundred vectors are there")
  func complete() throws {
    #expect(try Vector.names().count == 100)
  }

  private func identities(for vector: Vector) throws -> [Identity] {
    let identities = try vector["identity"].map { try identity($0) }
    return identities.isEmpty ? [Identity.generate()] : identities
  }

  private func outcome(of error: AgeError) -> String {
    switch error {
    case .noMatch: "no match"
    case .header: "header failure"
    case .headerMAC: "HMAC failure"
    case .armor: "armor failure"
    case .payload: "payload failure"
    default: "another error"
    }
  }
}
