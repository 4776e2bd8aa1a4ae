/// Programs that read dotenv files, with the values that no form makes them read as they are: see ``DotenvDocument``.
package enum DotenvReader: CaseIterable, Sendable {
  case shell, pythonDotenv

  /// The name for messages.
  package var title: String {
    switch self {
    case .shell: "a POSIX shell"
    case .pythonDotenv: "python-dotenv"
    }
  }

  /// Whether it reads a value as it is, if a ``DotenvDocument`` wrote it.
  package func reads(_ value: some BidirectionalCollection<UInt8>) -> Bool {
    switch self {
    case .shell: !value.contains(.carriageReturn)
    case .pythonDotenv:
      !Self.containsVariable(value)
        && (DotenvQuotes.holding(value, preferring: .none) != .double
          || !value.contains { $0 == .dollar || $0 == .backtick })
    }
  }

  /// Whether there is a `${…}`.
  private static func containsVariable(_ value: some BidirectionalCollection<UInt8>) -> Bool {
    var before: UInt8?
    var isOpen = false
    for byte in value {
      if isOpen, byte == UInt8(ascii: "}") { return true }
      if before == .dollar, byte == UInt8(ascii: "{") { isOpen = true }
      before = byte
    }
    return false
  }
}
