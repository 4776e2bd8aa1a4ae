/// A key's record that was taken out of use, and can still be restored.
public struct ForgottenKey: Hashable, Sendable {
  /// The name it had.
  public let key: Identifier<Key>
  /// The serial of the commit that forgot it: distinguishes two that had the same name.
  public let serial: Int64
  /// When it was forgotten.
  public let at: Moment
  /// The record as it was.
  public let record: KeyRecord

  package init(key: Identifier<Key>, serial: Int64, at: Moment, record: KeyRecord) {
    self.key = key
    self.serial = serial
    self.at = at
    self.record = record
  }

  /// How long it can be restored. The first commit after that drops it.
  public static let restorable = Interval.days(30)

  /// Until when it can be restored.
  public var end: Moment { at + Self.restorable }
}
