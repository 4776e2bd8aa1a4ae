/// A key's record that was forgotten, and can still be restored.
package struct ForgottenKey: Hashable, Sendable {
  /// The name it had.
  package let key: Identifier<Key>
  /// The serial of the commit that forgot it: distinguishes two that had the same name.
  package let serial: Int64
  /// The time at which it was forgotten.
  package let at: Moment
  /// The record as it was.
  package let record: KeyRecord

  package init(key: Identifier<Key>, serial: Int64, at: Moment, record: KeyRecord) {
    self.key = key
    self.serial = serial
    self.at = at
    self.record = record
  }

  /// The time for which it can be restored. The first commit after that deletes it.
  package static let restorable = Interval.days(30)

  /// Until when it can be restored.
  package var end: Moment { at + Self.restorable }
}
