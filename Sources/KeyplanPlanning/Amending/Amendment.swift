package import KeyplanModel

/// A change of the records that a person requests, in addition to the manifest. Everything that it names is recorded.
package enum Amendment: Hashable, Sendable {
  /// Gives a key's record another name.
  case move(Identifier<Key>, to: Identifier<Key>)
  /// Deletes the record of a key, a slot, a target or one name of a target; nothing outside is touched.
  case forget(Address)
  /// Makes an earlier version of a key's value the current one.
  case rollback(Identifier<Key>, to: Int64)
  /// Makes the current value of a key unusable, with a reason or none.
  case revoke(Identifier<Key>, reason: String?)
  /// Deletes the earlier values of a key, or all of them with its record.
  case purge(Identifier<Key>, isAll: Bool)
  /// Brings a forgotten key back; to one of its earlier versions, if one is named.
  case restore(ForgottenKey, to: Int64?)
  /// Takes the value under a name at a target as the value of the key that feeds it.
  case acceptTarget(Identifier<Target>, name: String)
  /// Accepts the value that a key's source has, although it was rejected or is not followed.
  case acceptSource(Identifier<Key>)
  /// Records that a person signs in to a declared account, and which of its calendars is then used.
  case signIn(Identifier<Account>)
  /// Ends an account's record, tokens included.
  case signOut(Identifier<Account>)
}

/// Makes an earlier version the current one.
package struct KeyRollback: Hashable, Sendable, Codable {
  /// The number of that version.
  package let to: Int64
  /// The number of the version that was current.
  package let was: Int64
  /// The value that no plan stores while a source has it; otherwise the next plan would undo this.
  package let rejected: Fingerprint?

  package init(to: Int64, was: Int64, rejected: Fingerprint?) {
    self.to = to
    self.was = was
    self.rejected = rejected
  }
}

/// Makes the current value of a key unusable.
package struct KeyRevocation: Hashable, Sendable, Codable {
  /// The number of the version that is current.
  package let version: Int64
  /// The reason, in the words of the person who revokes it.
  package let reason: String?

  package init(version: Int64, reason: String?) {
    self.version = version
    self.reason = reason
  }
}

/// Deletes values that are recorded.
package struct KeyPurge: Hashable, Sendable, Codable {
  /// The versions whose values are deleted, newest first; if the current one is among them, the record is deleted as well.
  package let versions: [Int64]
  /// The serials of the commits that forgot records of the key; these records are deleted as well.
  package let forgotten: [Int64]
  /// Whether the record is deleted.
  package let isAll: Bool

  package init(versions: [Int64], forgotten: [Int64], isAll: Bool) {
    self.versions = versions
    self.forgotten = forgotten
    self.isAll = isAll
  }
}

/// Brings a forgotten record back.
package struct KeyRestoration: Hashable, Sendable, Codable {
  /// The serial of the commit that forgot it.
  package let serial: Int64
  /// The value that no plan stores while a source has it; nil if the record keeps its own.
  package let rejected: Fingerprint?

  package init(serial: Int64, rejected: Fingerprint?) {
    self.serial = serial
    self.rejected = rejected
  }
}

/// Takes a value from a target.
package struct KeyAcceptance: Hashable, Sendable, Codable {
  /// The target that has the value.
  package let target: Identifier<Target>
  /// The target's destination.
  package let destination: Destination
  /// The name at the target.
  package let name: String
  /// The value that no plan stores while a source has it; nil if the source has the accepted one.
  package let rejected: Fingerprint?
  /// The mark of a value that cannot be read: it is left at the target, and the key keeps its own. Nil if the value is stored.
  package let mark: Mark?

  package init(
    target: Identifier<Target>, destination: Destination, name: String, rejected: Fingerprint?, mark: Mark? = nil
  ) {
    self.mark = mark
    self.target = target
    self.destination = destination
    self.name = name
    self.rejected = rejected
  }

  /// The place as people type it.
  package var address: Address { .entry(target, name: name) }
}
