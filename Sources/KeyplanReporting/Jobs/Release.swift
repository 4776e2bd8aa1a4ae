/// Where releases of keyplan are. `scripts/repository.sh` writes the address.
package enum Release {
  static let repository = "keyplan/keyplan"
}
