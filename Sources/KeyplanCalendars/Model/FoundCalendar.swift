/// A calendar that the service has for an account.
public struct FoundCalendar: Hashable, Sendable {
  /// The service's own name for it, which stays when it is renamed.
  public let id: String
  /// What the person calls it.
  public let name: String
  /// Whether the service puts events here when nobody says where.
  public let isPrimary: Bool
  /// Whether the account may change its events.
  public let isWritable: Bool

  /// Nothing is checked.
  public init(id: String, name: String, isPrimary: Bool, isWritable: Bool) {
    self.id = id
    self.name = name
    self.isPrimary = isPrimary
    self.isWritable = isWritable
  }
}
