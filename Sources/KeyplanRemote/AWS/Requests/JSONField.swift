import KeyplanJSON
import KeyplanPorts
import KeyplanSecrets

/// A secret of a service that has one value, and a member of its JSON object.
enum JSONField {
  /// - Parameter field: nil for the whole value.
  static func answer(_ value: SecretBox, field: String?) -> SourceAnswer {
    var value = value
    if let field {
      guard let json = JSONAnswer(value), case .object = json.root.content else {
        return .unreadable(AWSMessages.notAnObject)
      }
      guard let node = json.member(field) else { return .missing(reason: AWSMessages.noField(field)) }
      guard let text = json.scalar(node) else { return .unreadable(AWSMessages.fieldNotText(field)) }
      value = text
    }
    if let fault = value.withBytes({ ValueFault(in: $0) }) { return .unreadable(fault.sentence) }
    return .value(value)
  }
}
