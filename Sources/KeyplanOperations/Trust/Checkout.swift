package import KeyplanReporting

/// The trust in the files of the work tree.
///
/// The author of a pull request controls the checkout that CI plans. In an untrusted checkout planning therefore
/// runs no program from the work tree, reads no reference that is not recorded, compares no value with anything that the
/// checkout chose, and opens only a store that is known from outside it. `apply`, which is run deliberately, does the rest.
/// See docs/pull-requests.md.
package enum Checkout: String, Sendable {
  case trusted, untrusted
}

extension World {
  /// Trusted at a terminal outside CI, or with `KEYPLAN_CHECKOUT=trusted`: the user has reviewed the files, or a job runs merged files. A
  /// credential helper's is untrusted in any case.
  ///
  /// - Throws: wrong usage for any other value of `KEYPLAN_CHECKOUT`.
  package func checkout() throws(Failure) -> Checkout {
    if settings.isCheckoutUntrusted { return .untrusted }
    if let text = variable("KEYPLAN_CHECKOUT") {
      guard let checkout = Checkout(rawValue: text) else {
        throw Failure(
          .usage, "Invalid KEYPLAN_CHECKOUT", "KEYPLAN_CHECKOUT must be \"trusted\" or \"untrusted\".",
          hint: "Set it to \"trusted\" only in jobs that run reviewed files, such as cron on the main branch.")
      }
      return checkout
    }
    return isAttended && !isCI ? .trusted : .untrusted
  }

  /// Whether files outside of the manifest's folder may be inspected without a permission. In an untrusted checkout they may not: a
  /// path could trigger an automount or another side effect.
  package var mayReadOutsideCheckout: Bool { (try? checkout()) == .trusted }
}
