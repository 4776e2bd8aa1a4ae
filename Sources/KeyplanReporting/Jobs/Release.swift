/// The place of keyplan's releases. `scripts/repository.sh` writes the address.
package enum Release {
  static let repository = "keyplan/keyplan"
}
