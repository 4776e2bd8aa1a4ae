/// The reasons that a `KeyIssuer` gives in addition to those of its requests. None contains a value.
package enum IssuerMessages {
  package static func lostMint(_ host: String, _ reason: String) -> String { "\(host) may have made a key. \(reason)" }
  package static func keyNotReceived(_ host: String) -> String {
    "\(host) reported success, but its response has no usable key."
  }
  package static func stillListed(_ host: String) -> String { "\(host) still lists the key." }
  package static func unconfirmed(_ host: String, _ reason: String) -> String {
    "\(host) may have done it, and nothing confirms that. \(reason)"
  }
  package static func duplicate(_ host: String) -> String {
    "\(host) lists a key twice, so its list may not be complete."
  }
  package static func incomplete(_ host: String) -> String { "The list from \(host) is not complete." }
  package static func otherPlace(_ place: String) -> String { "The connection does not have the place \(place)." }
  package static let label =
    "The label of a key must be text without control characters and without blanks at its ends."
  package static let noLabels = "The provider's keys have no labels."
  package static let noMint = "The provider has no request that makes a key."
  package static let noList = "The provider has no request that lists keys."
  package static let noDisable = "The provider has no request that disables a key."
  package static let noRevoke = "The provider has no request that revokes a key."
}
