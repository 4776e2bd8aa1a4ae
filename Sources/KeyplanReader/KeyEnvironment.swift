public import KeyplanSecrets

/// Variables for a child process. Never printed.
public struct KeyEnvironment: Sendable, Redacted {
  private let values: [String: SecretBox]

  init(values: [String: SecretBox]) { self.values = values }

  /// The names, sorted.
  public var names: [String] { values.keys.sorted() }

  /// The variables with these added, as plain text: for the process that is started, and for nothing else.
  public func exposed(over environment: [String: String] = [:]) -> [String: String] {
    environment.merging(values.mapValues { $0.withBytes { String(decoding: $0, as: UTF8.self) } }) { $1 }
  }

  /// For example `OPEN_WEATHER` for `open-weather`.
  static func variable(for name: String) -> String {
    String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}
