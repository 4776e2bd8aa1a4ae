/// The reasons and hints for failures of key management services, as sentences.
enum KeyServiceMessages {
  static let form = "The key management service answered in another form than expected."
  static let otherKey = "The key management service does not open it: it was sealed with another key, or changed."
  static let sealAgain = "Create an identity anew, and replace the recipient in the manifest."
  static func noKey(_ name: String) -> String { "There is no key \(name)." }
  static func tooOld(_ name: String) -> String {
    "`min_decryption_version` of the key \(name) is above the version that sealed the identity."
  }
  static func lowerVersion(_ mount: String, _ name: String) -> String {
    "Lower it (vault write \(mount)/keys/\(name)/config min_decryption_version=N), or create an identity anew and replace the "
      + "recipient in the manifest."
  }
  static func unusable(_ name: String) -> String { "The key \(name) is disabled or scheduled for deletion." }
  static func notDerived(_ name: String) -> String {
    "The key \(name) is not derived: it would open identities without regard to whose they are."
  }
  static func makeDerived(_ mount: String, _ name: String) -> String {
    "Create another: vault write -f \(mount)/keys/NAME derived=true"
  }
  static func allowReading(_ mount: String, _ name: String) -> String {
    "Allow \"read\" for \(mount)/keys/\(name) in the policy of the token."
  }
  static func allow(_ mount: String, _ action: String, _ name: String) -> String {
    "Allow \"update\" for \(mount)/\(action)/\(name) in the policy of the token."
  }
}
