package import KeyplanModel
package import KeyplanReporting

extension Workspace {
  /// The provider's key whose value is set by hand, so that it is revoked there once it is replaced.
  /// - Throws: `Failure` if keyplan could not revoke it, or has recorded it for another key.
  package func issuedKey(_ id: String, of key: Identifier<Key>) throws(Failure) -> IssuedKeys.Key {
    guard let minting = manifest.keys[key]?.minting else {
      throw Failure(
        .usage, "No provider", "\"\(key)\" has no connection that can revoke keys.",
        hint: "Declare `source: { mint: CONNECTION }`, or leave out --id.")
    }
    guard minting.holder == key else {
      throw Failure(
        .usage, "Not with this part", "The id of \"\(minting.key)\" is recorded with \"\(minting.holder)\".",
        hint: "Pass --id when you set \"\(minting.holder)\".")
    }
    guard manifest.connection(named: minting.place.type)?.canRevoke == true else {
      throw Failure(
        .usage, "Keys cannot be revoked", "keyplan cannot revoke keys at \(minting.place.brief).",
        hint: "Leave out --id, and revoke the old key there.")
    }
    guard id.utf8.count <= 512, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
      id.contains(where: { $0.isLetter || $0.isNumber })
    else {
      throw Failure(
        .usage, "Invalid id", "An id has letters or digits, no blanks, and at most 512 characters.",
        hint: "Copy it from the provider's page.")
    }
    let named = IssuedKeys.Key(place: minting.place, id: id)
    let other = recorded.keys.first { other, record in
      other != key && record.issued.contains { $0.reference == named }
    }
    if let other = other?.key {
      throw Failure(
        .failed, "Key is used elsewhere", "\(id) at \(named.place.brief) is recorded for \"\(other)\".",
        hint: "Check the id. A provider's key can be recorded for only one key of the manifest.")
    }
    return named
  }
}
