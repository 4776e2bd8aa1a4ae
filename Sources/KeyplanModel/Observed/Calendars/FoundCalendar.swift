/// A calendar that the service has for an account.
package struct FoundCalendar: Hashable, Sendable {
  /// The service's own name for it, which stays when it is renamed.
  package let id: String
  /// The name that the person gave it.
  package let name: String
  /// Whether the service adds events here by default.
  package let isPrimary: Bool
  /// Whether the account may change its events.
  package let isWritable: Bool

  package init(id: String, name: String, isPrimary: Bool, isWritable: Bool) {
    self.id = id
    self.name = name
    self.isPrimary = isPrimary
    self.isWritable = isWritable
  }
}
