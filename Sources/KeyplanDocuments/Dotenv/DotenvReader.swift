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
  package func reads(_ value: [UInt8]) -> Bool {
    switch self {
    case .shell: !value.contains(.carriageReturn)
    case .pythonDotenv:
      !Self.containsVariable(value)
        && (DotenvQuotes.holding(value, preferring: .none) != .double
          || !value.contains { $0 == .dollar || $0 == .backtick })
    }
  }

  /// Whether there is a `${…}`.
  private static func containsVariable(_ value: [UInt8]) -> Bool {
    guard
      let start = zip(value.indices, zip(value, value.dropFirst())).first(where: {
        $0.1.0 == .dollar && $0.1.1 == UInt8(ascii: "{")
      })?.0
    else { return false }
    return value[start...].contains(UInt8(ascii: "}"))
  }
}
