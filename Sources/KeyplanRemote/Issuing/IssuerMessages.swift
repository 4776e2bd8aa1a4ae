/// The reasons that a `KeyIssuer` gives in addition to those of its requests. None contains a value.
enum IssuerMessages {
  static func lostMint(_ host: String, _ reason: String) -> String { "\(host) may have made a key. \(reason)" }
  static func keyNotReceived(_ host: String) -> String {
    "\(host) reported success, but its response has no usable key."
  }
  static func stillListed(_ host: String) -> String { "\(host) still lists the key." }
  static func unconfirmed(_ host: String, _ reason: String) -> String {
    "\(host) may have done it, and nothing confirms that. \(reason)"
  }
  static func duplicate(_ host: String) -> String { "\(host) lists a key twice, so its list may not be complete." }
  static func incomplete(_ host: String) -> String { "The list from \(host) is not complete." }
  static func otherPlace(_ place: String) -> String { "The connection does not have the place \(place)." }
  static let label = "The label of a key must be text without control characters and without blanks at its ends."
  static let noLabels = "The provider's keys have no labels."
  static let noMint = "The provider has no request that makes a key."
  static let noList = "The provider has no request that lists keys."
  static let noDisable = "The provider has no request that disables a key."
  static let noRevoke = "The provider has no request that revokes a key."
}
