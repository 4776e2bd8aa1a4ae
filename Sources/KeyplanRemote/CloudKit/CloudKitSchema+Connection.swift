import KeyplanCloudKit
import KeyplanServices

extension CloudKitSchema {
  /// - Throws: the field of the connection that has no value.
  init(_ context: ConnectionContext) throws(RemoteFailure) {
    func text(_ name: String) throws(RemoteFailure) -> String {
      guard let text = context.text(name), !text.isEmpty else {
        throw RemoteFailure(.unreadable, RemoteMessages.requiredField(name))
      }
      return text
    }
    self.init(
      container: try text("container"), environment: try text("environment"), recordType: try text("recordType"),
      nameField: try text("nameField"), valueField: try text("valueField"))
    guard nameField != valueField else { throw RemoteFailure(.unreadable, CloudKitMessages.sameField) }
  }
}
