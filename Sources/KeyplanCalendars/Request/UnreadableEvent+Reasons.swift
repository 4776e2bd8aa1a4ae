import KeyplanModel

extension UnreadableEvent {
  static func withoutTime(_ name: String) -> UnreadableEvent {
    UnreadableEvent(name: name, reason: "its start or its end is missing or invalid")
  }

  /// Not even an identifier can be read.
  static var otherForm: UnreadableEvent {
    UnreadableEvent(name: nil, reason: "it does not have the form of the service's events")
  }
}
