/// A calendar account as the manifest declares it. Read and validated; planning says that it is not supported yet.
public struct Calendar: Sendable {
  /// `google`, `outlook` or `caldav`.
  public let service: String
  /// The account's name at the service.
  public let account: String
  /// Where the manifest declares it.
  public let place: Place?

  /// Nothing is checked.
  public init(service: String, account: String, place: Place? = nil) {
    self.service = service
    self.account = account
    self.place = place
  }
}
